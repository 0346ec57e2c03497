// What `Scripts/development/console-page` asks of the page, from within it.

const nextFrame = () => new Promise((done) => requestAnimationFrame(done))

globalThis.checks = {
  /** The cells of the rows in sight at a place of the list, and the next place, or null at its end. */
  async rowsAt(place) {
    const grid = document.getElementById("grid")
    grid.scrollTop = place
    for (let frames = 0; frames < 3; frames += 1) await nextFrame()
    const cells = (row) => ["method", "url", "status", "source"].map((name) => row.querySelector(`.${name}`).textContent)
    const rows = [...document.querySelectorAll(".rows .exchange")]
    const isEnd = grid.scrollTop >= grid.scrollHeight - grid.clientHeight - 1
    return [
      rows.map((row) => [Number(row.getAttribute("aria-rowindex")), ...cells(row)]),
      isEnd ? null : place + grid.clientHeight * 0.8,
    ]
  },

  /** Times between frames while the list is scrolled far in each, and while filters are typed. */
  async frames(steps, words) {
    const grid = document.getElementById("grid")
    const filter = document.getElementById("filter")
    const type = (text) => {
      filter.value = text
      filter.dispatchEvent(new Event("input", { bubbles: true }))
    }
    // Each frame does the next piece of work; how late the one after comes is what it took.
    const measure = async (pieces) => {
      const times = []
      let before = await nextFrame()
      for (const piece of [...pieces, () => {}, () => {}]) {
        piece()
        const now = await nextFrame()
        times.push(now - before)
        before = now
      }
      return times
    }
    const scroll = Array.from({ length: steps }, (_, step) => () => {
      grid.scrollTop = (grid.scrollHeight * (step % 2 ? step : steps - step)) / steps
    })
    const typing = words.flatMap((word) => Array.from(word, (_, end) => () => type(word.slice(0, end + 1))))
    const frames = { scroll: await measure(scroll), filter: await measure(typing) }
    type("")
    return frames
  },

  /** Texts with a contrast below 4.5 to their ground (WCAG 2.2, 1.4.3); disabled ones aside. */
  poorContrast() {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1)
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
      return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    // WCAG 2.2, "relative luminance".
    const luminance = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
      const value = rgb[index] / 255
      return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    }, 0)
    const ground = (element) => {
      const layers = []
      for (let one = element; one; one = one.parentElement) {
        layers.push(rgba(getComputedStyle(one).backgroundColor))
        if (layers.at(-1)[3] === 255) break
      }
      return layers.reverse().reduce((below, [red, green, blue, alpha]) => (
        [red, green, blue].map((part, index) => (part * alpha) / 255 + below[index] * (1 - alpha / 255))
      ), [255, 255, 255])
    }
    const poor = new Set()
    for (const element of document.querySelectorAll("body *")) {
      const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
      const text = texts.map((node) => node.data.trim()).join("")
      if (!text || !element.checkVisibility() || element.closest(":disabled, .hidden, .skip, option")) continue
      const shades = [rgba(getComputedStyle(element).color), ground(element)].map(luminance)
      const contrast = (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05)
      if (contrast < 4.5) poor.add(`${text.slice(0, 30)} ${contrast.toFixed(2)}`)
    }
    return [...poor]
  },
}
