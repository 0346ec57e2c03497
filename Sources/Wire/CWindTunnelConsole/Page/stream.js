// The events of the tool. Each connection begins with the whole picture (`hello`, the segments so
// far, the rows that are kept), so that nothing has to be remembered over a lost one.

const EVENTS = ["hello", "segment", "rows", "summed", "counters", "finding"]
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/**
 * Connects, and connects again until the tool says that it ends.
 *
 * `onEvent(name, data)` gets each event; `onLink(state, pauseMs)` is told "open", "lost" with the
 * pause until the next try, and "ended". The result tries at once.
 */
export function connect({ onEvent, onLink }) {
  let source = null
  let timer = null
  let pause = FIRST_PAUSE_MS

  const open = () => {
    clearTimeout(timer)
    source?.close()
    const mine = new EventSource("/events")
    source = mine
    for (const name of EVENTS) {
      mine.addEventListener(name, (event) => {
        if (name === "hello") {
          pause = FIRST_PAUSE_MS
          onLink("open")
        }
        onEvent(name, JSON.parse(event.data))
      })
    }
    mine.addEventListener("end", () => {
      mine.close()
      onLink("ended")
    })
    // EventSource would come back by itself, but evenly, and never after an answer such as 503.
    mine.addEventListener("error", () => {
      if (mine.readyState === EventSource.CLOSED && source !== mine) return
      mine.close()
      // A part of the pause is drawn, so that several pages do not come in step.
      const wait = pause * (0.75 + Math.random() / 2)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      timer = setTimeout(open, wait)
      onLink("lost", wait)
    })
  }

  open()
  return open
}
