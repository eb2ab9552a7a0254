// The search runs in a worker, which browsers refuse to a page that was opened as a file. There, a hidden frame of the
// page takes the worker's place: it runs the same script and offers it the names that a worker has.
// The theme loads a shim of this name from elsewhere unless the site has one of its own.
(() => {
  "use strict"
  if (location.protocol !== "file:") return

  const load = (page, address) =>
    new Promise((resolve, reject) => {
      const script = page.createElement("script")
      script.src = address
      script.onload = resolve
      script.onerror = () => reject(new Error(`${address} cannot be loaded`))
      page.body.append(script)
    })

  class FrameWorker extends EventTarget {
    constructor(address) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      this.inside = this.frame.contentWindow
      const page = this.inside.document
      page.open()
      page.write("<!doctype html><title>search</title><body></body>")
      page.close()
      // The script takes the folder of its dictionaries from its own address, up to the first "/worker" in it.
      const dictionaries = new URL("../lunr/", new URL(address, location.href))
      const found = name => new URL(name.replace(/^.*\/lunr\//, ""), dictionaries).href
      this.inside.importScripts = (...names) =>
        names.reduce((before, name) => before.then(() => load(page, found(name))), Promise.resolve())
      this.inside.postMessage = data => setTimeout(() => this.deliver(structuredClone(data)))
      this.ready = load(page, new URL(address, location.href).href)
    }

    deliver(data) {
      const message = new MessageEvent("message", { data })
      this.dispatchEvent(message)
      if (this.onmessage) this.onmessage(message)
    }

    postMessage(data) {
      const copy = structuredClone(data)
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data: copy })))
    }

    terminate() {
      this.frame.remove()
    }
  }

  window.Worker = FrameWorker
  window.IFrameWorker = FrameWorker
})()
