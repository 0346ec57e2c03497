// Figures in words: one place for each, so that list, detail and charts say the same.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

export const count = (number) => grouped.format(number)

export const several = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`

/** A duration, with three digits: "0.4 ms", "12.3 ms", "480 ms", "1.25 s", "2 min 5 s". */
export function duration(ms) {
  if (ms === null || ms === undefined) return "–"
  if (ms < 100) return `${trimmed(ms, ms < 10 ? 2 : 1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${trimmed(ms / 1000, ms < 10_000 ? 2 : 1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** A moment since the tool began: "0:04.127". */
export function moment(ms) {
  const whole = Math.floor(ms)
  const seconds = Math.floor(whole / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const pad = (number, width = 2) => String(number).padStart(width, "0")
  const clock = hours > 0 ? `${hours}:${pad(minutes % 60)}` : `${minutes}`
  return `${clock}:${pad(seconds % 60)}.${pad(whole % 1000, 3)}`
}

export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–"
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${trimmed(bytes / 1000, 1)} kB`
  return `${trimmed(bytes / 1_000_000, 1)} MB`
}

/** A rate of a link in kbit/s. */
export function rate(kbits) {
  return kbits < 1000 ? `${trimmed(kbits, 1)} kbit/s` : `${trimmed(kbits / 1000, 2)} Mbit/s`
}

export const percent = (ratio) => `${trimmed(ratio * 100, 2)} %`

export function trimmed(number, digits) {
  return String(Number(number.toFixed(digits)))
}

/** The parts of a URL that the list tells apart; a text that is no URL is a path. */
export function urlParts(url) {
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/i.exec(url)
  return match ? { origin: match[1], rest: match[2] || "/" } : { origin: "", rest: url }
}

/** The class of a status, which colours it: "2xx" … "5xx". */
export const statusClass = (status) => `${Math.floor(status / 100)}xx`

const ENDINGS = {
  whole: "whole",
  cut: "cut off",
  clientLeft: "the client left",
  stopped: "stopped",
}

/** An ending in words; the names of symptoms are taken apart: "connectionLost" is "connection lost". */
export function ending(name) {
  if (name === null) return "under way"
  return ENDINGS[name] ?? apart(name)
}

/** A fault in words: "delayMilliseconds 237.725" is "delay 238 ms". */
export function fault(text) {
  return apart(text.replace(/Milliseconds ([\d.]+)/, (_, ms) => ` ${duration(Number(ms))}`))
}

/** A fault with the rules that it comes from, whose patterns are left as they are. */
export function faultOfRule(text) {
  const at = text.indexOf(": rule ")
  return at < 0 ? fault(text) : fault(text.slice(0, at)) + text.slice(at)
}

/** A name that is written as one word, taken apart; what is not is left as it is. */
const apart = (name) => name.replace(/(?<=[a-z])[A-Z]+/g, (capital) => ` ${capital.toLowerCase()}`)

export const isOpen = (row) => row.ending === null

/** Tells if something went otherwise than in good weather: a fault, an error, or no whole answer. */
export function isBroken(row) {
  return (
    row.faults.length > 0 || row.status >= 400 || (row.ending !== null && row.ending !== "whole")
  )
}

/** Who answers, by the word of the tool. */
export const TAKES = {
  recording: "recording",
  computed: "stub",
  forwarded: "the server",
  unmatched: "nothing matched",
  withheld: "WindTunnel",
}

/** Who has answered, short for the list: "recording #4". */
export function take(row) {
  if (row.source === null) return "–"
  const name = TAKES[row.source] ?? row.source
  if (row.interaction === null) return name
  return row.source === "withheld" ? `${name}, not #${row.interaction}` : `${name} #${row.interaction}`
}

/** The same as a sentence's part, for the detail. */
export function takeInWords(row, hasAnswer) {
  switch (row.source) {
    case null:
      return "nothing yet"
    case "recording":
      return `recording ${row.interaction}${row.ordinal > 1 ? `, the ${ordinalWord(row.ordinal)} time` : ""}`
    case "withheld":
      return row.interaction === null
        ? "WindTunnel; no request was sent to the server"
        : `WindTunnel, by a fault of recording ${row.interaction}`
    case "computed":
      return "a stub or a function"
    case "unmatched":
      return "WindTunnel: nothing on the cassette matched"
    default:
      if (row.source !== "forwarded" || row.ending === null || row.ending in ENDINGS) return TAKES[row.source] ?? row.source
      return hasAnswer ? "the server, until it failed" : "WindTunnel, for a server that failed"
  }
}

export function ordinalWord(number) {
  const tens = number % 100
  const suffix = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th")
  return `${number}${suffix}`
}

/** The attempt, and the pause before it: "2nd, +180 ms". Empty for the first. */
export function attempt(row) {
  if (!(row.attempt > 1)) return ""
  const gap = row.gap === null ? "" : `, +${duration(row.gap)}`
  return `${ordinalWord(row.attempt)}${gap}`
}

/** Pretty JSON where a text is JSON, else the text as it is. */
export function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
