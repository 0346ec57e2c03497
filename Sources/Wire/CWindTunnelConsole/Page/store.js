// The state of the page: the events, folded. Views subscribe and are told what kind of thing changed.

import { searchText } from "./filter.js"

/** Rows that the page holds at most; the oldest go first, as they do in the tool. */
export const ROWS_MAX = 20_000
/** They go so many at a time, since taking one from the front costs as much. */
const ROWS_AT_ONCE = 2_000
export const CHART_MS = 5 * 60_000

/** A row, with the text that is searched made only when somebody searches. */
class Entry {
  #text = null

  constructor(row) {
    this.row = row
  }

  replace(row) {
    this.row = row
    this.#text = null
  }

  get text() {
    return (this.#text ??= searchText(this.row))
  }
}

export class Store {
  #byId = new Map()
  #listeners = []
  #summed = []
  #isFresh = false

  hello = null
  entries = []
  segments = new Map()
  findings = []
  counters = null
  /** Counters of the last five minutes, and the moment here when the last of them came. */
  samples = []
  countedAt = 0
  /** Rows that fell out, here and in the tool. */
  dropped = 0
  /** Exchanges that passed while no page was open, beyond those that are followed all the same. */
  unseen = 0
  /** The smallest id from which on rows may be missing since they were summed; null for none. */
  missingAfter = null

  /**
   * `listener(kind, detail)`: kind is "all", "rows", "segments", "counters", "findings" or "summed";
   * the detail of "rows" has `added` (entries at the end), `isChanged`, `removed` (number, from the
   * front) and `isMixed` (some came in between).
   */
  subscribe(listener) {
    this.#listeners.push(listener)
  }

  entry(id) {
    return this.#byId.get(id)
  }

  get segment() {
    let last = null
    for (const segment of this.segments.values()) last = segment
    return last
  }

  /** Events a second that came only as sums in the last second; 0 where all are shown. */
  get summedPerSecond() {
    const since = performance.now() - 1000
    this.#summed = this.#summed.filter((sum) => sum.at > since)
    return this.#summed.reduce((total, sum) => total + sum.requests, 0)
  }

  apply(name, data) {
    switch (name) {
      case "hello":
        this.#forget()
        this.#isFresh = true
        this.hello = data
        this.dropped = data.dropped
        this.unseen = data.unseen
        return this.#tell("all")
      case "segment":
        this.segments.set(data.number, data)
        return this.#tell("segments")
      case "rows":
        return this.addRows(data.rows)
      case "summed":
        return this.#sum(data.requests)
      case "counters":
        return this.#count(data)
      case "finding":
        if (!this.findings.some((finding) => finding.id === data.id)) this.findings.push(data)
        return this.#tell("findings", data)
    }
  }

  /** Takes rows in: new ones, and those that replace one of the same id. */
  addRows(rows) {
    const added = []
    const late = []
    let isChanged = false
    let last = this.entries.at(-1)?.row.id ?? -1
    for (const row of rows) {
      const known = this.#byId.get(row.id)
      if (known) {
        known.replace(row)
        isChanged = true
        continue
      }
      const entry = new Entry(row)
      this.#byId.set(row.id, entry)
      if (row.id > last) {
        added.push(entry)
        last = row.id
      } else {
        late.push(entry)
      }
    }
    // One by one: as arguments of one call they would have to fit on the stack.
    for (const entry of added) this.entries.push(entry)
    if (late.length > 0) {
      this.entries = [...this.entries, ...late].sort((one, other) => one.row.id - other.row.id)
    }
    const removed = this.#trim()
    this.#tell("rows", { added, isChanged, removed, isMixed: late.length > 0 })
  }

  #trim() {
    if (this.entries.length <= ROWS_MAX + ROWS_AT_ONCE) return 0
    const gone = this.entries.splice(0, this.entries.length - ROWS_MAX)
    for (const entry of gone) this.#byId.delete(entry.row.id)
    this.dropped += gone.length
    return gone.length
  }

  #sum(requests) {
    this.#summed.push({ at: performance.now(), requests })
    if (this.missingAfter === null) {
      // One that was under way may have ended among those that were not shown.
      const open = this.entries.find((entry) => entry.row.ending === null)
      this.missingAfter = (open ?? this.entries.at(-1))?.row.id ?? 0
      if (open) this.missingAfter -= 1
    }
    this.#tell("summed")
  }

  #count(counters) {
    const last = this.samples.at(-1)
    // Counters that went back are those of another run.
    if (last && (counters.at < last.at || counters.requests < last.requests)) this.samples = []
    // What came since the one before may be of the time without a connection.
    counters.isFirst = this.#isFresh
    this.#isFresh = false
    this.counters = counters
    this.unseen = counters.unseen
    this.countedAt = performance.now()
    this.samples.push(counters)
    const first = this.samples.findIndex((sample) => sample.at >= counters.at - CHART_MS)
    this.samples.splice(0, first)
    this.#tell("counters")
  }

  /** The moment of the tool's clock, as near as the last counters tell it. */
  get now() {
    return this.counters === null ? 0 : this.counters.at + performance.now() - this.countedAt
  }

  #forget() {
    this.#byId.clear()
    this.#summed = []
    this.entries = []
    this.segments.clear()
    this.findings = []
    this.missingAfter = null
  }

  #tell(kind, detail = {}) {
    for (const listener of this.#listeners) listener(kind, detail)
  }
}
