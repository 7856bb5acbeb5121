// Opened from disk (file://), a browser starts no worker. The search then runs in a hidden frame, which
// takes and sends the worker's messages. The frame has this page's origin.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const address = new URL(url, document.baseURI).href;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = `<script src="${address}"><\/script>`;
      this.ready = new Promise(done => {
        this.frame.onload = () => {
          this.frame.contentWindow.postMessage = data => {
            this.dispatchEvent(new MessageEvent("message", { data }));
          };
          done();
        };
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.ready.then(() =>
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
