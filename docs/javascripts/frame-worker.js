/* The search runs in a worker, which browsers refuse to pages that are opened from disk. There a hidden frame runs
   the same script instead; from a server this file does nothing. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.title = "search"
      document.body.appendChild(this.frame)
      const inside = this.frame.contentWindow
      window.addEventListener("message", (event) => {
        if (event.source !== inside) return
        const heard = new MessageEvent("message", { data: event.data })
        this.dispatchEvent(heard)
        if (this.onmessage) this.onmessage(heard)
      })
      this.ready = new Promise((done) => { inside.__ready = done })
      inside.document.open()
      inside.document.write(
        "<html><body><script>" +
          "var postMessage = function (data) { parent.postMessage(data, '*') };" +
          "var importScripts = function () { return Promise.all(Array.from(arguments, function (src) {" +
          " return new Promise(function (done) { var script = document.createElement('script'); script.src = src;" +
          " script.onload = done; script.onerror = done; document.body.appendChild(script) }) })) };" +
          "<\/script><script src=\"" + url + "\" onload=\"__ready()\"><\/script></body></html>"
      )
      inside.document.close()
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() { this.frame.remove() }
  }
}
