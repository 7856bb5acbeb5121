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

/** A function that asks `name` with what `body` gives then, and hands the answer to `use`; calls
 *  within `delay` ms count as one. */
export function asker(name, body, use, delay = 0) {
  let busy = false;
  let again = false;
  let timer = 0;
  const run = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = false;
    const sent = body();
    if (sent) use(await ask(name, sent));
    busy = false;
    if (again) run();
  };
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  };
}
