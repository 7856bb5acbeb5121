// Questions to the server. A figure asks for the latest state alone: while an answer is under way,
// newer states wait, and of those the last is asked.

/** The answer to a question; a refusal is an answer with `refused`. */
export async function ask(name, body = {}) {
  try {
    const response = await fetch(`api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  } catch {
    return { refused: "planecast explore has ended: start it again", gone: true };
  }
}

/** A function that asks `name` with what `body` gives then, and hands the answer to `use`. It gives
 *  a promise that the latest state is answered; `done` gives the same without asking. */
export function asker(name, body, use) {
  let asking = null;
  let again = false;
  const run = async () => {
    await null; // calls from one event count as one
    const next = () => {
      again = false;
      return ask(name, body());
    };
    try {
      for (let underWay = next(); underWay !== null;) {
        const found = await underWay;
        // The server works on the newer state while this answer is drawn.
        underWay = again ? next() : null;
        use(found);
        if (again) underWay ??= next();
      }
    } finally {
      asking = null;
    }
  };
  const call = () => {
    again = asking !== null;
    asking ??= run();
    return asking;
  };
  call.done = () => asking ?? Promise.resolve();
  return call;
}

/** A function that takes `steps`, one after the other, once it wasn't called for `delay` ms: what
 *  takes long waits while a slider moves, and while `first` has no answer. Called again it begins
 *  again, after the step that is under way. */
export function inPauses(first, steps, delay) {
  let timer = 0;
  let round = 0;
  let underWay = Promise.resolve();
  const run = async (mine) => {
    await underWay.catch(() => null); // its failure is on the console
    for (const step of steps) {
      await first.done();
      if (mine !== round) return;
      underWay = step();
      await underWay;
    }
  };
  return () => {
    round += 1;
    clearTimeout(timer);
    timer = setTimeout(run, delay, round);
  };
}

/** A step that waits. */
export const wait = (ms) => () => new Promise((done) => { setTimeout(done, ms); });
