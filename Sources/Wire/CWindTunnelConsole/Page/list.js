// The list of exchanges: only the rows in sight are elements, so that ten thousand cost as little
// as fifty. It is a grid with one stop of the Tab key; `aria-activedescendant` names its active row.

import { element, oncePerFrame, setText } from "./dom.js"
import * as format from "./format.js"

/** Rows beyond both edges, so that a quick scroll shows no bare ground. */
const OVERSCAN = 6
/** More of an address than any screen shows in one line. */
const ADDRESS_MAX = 400

export class List {
  #store
  #grid
  #rows
  #filter = { test: null }
  /** The items of the list, in order: entries, and `{ number }` where a segment begins. */
  #items = []
  #elements = new Map()
  #lastSegment = null
  #exchanges = 0
  #height = 28
  #isFollowing = true
  #newestSeen = 0
  /** The place of the list when it was put last to show the newest. */
  #placed = 0
  #active = null
  #opened = null
  #selected = new Set()
  #rangeFrom = null
  #scale = 0
  #draw = oncePerFrame(() => this.#render())
  #rebuild = oncePerFrame(() => this.#build())

  /** `onOpen(id)`, `onSelect(ids)`, `onCount(number, height)` of rows that pass and of all lines, `onNews(number)` of those unseen. */
  constructor(store, grid, callbacks) {
    this.#store = store
    this.#grid = grid
    this.#rows = grid.querySelector(".rows")
    this.callbacks = callbacks
    grid.addEventListener("scroll", () => this.#scrolled(), { passive: true })
    grid.addEventListener("keydown", (event) => this.#key(event))
    this.#rows.addEventListener("click", (event) => this.#click(event))
    new ResizeObserver(() => this.#measure()).observe(grid)
    store.subscribe((kind, detail) => this.#hear(kind, detail))
  }

  set filter(filter) {
    this.#filter = filter
    this.#build()
  }

  /** The row whose detail is open, or null. */
  set opened(id) {
    this.#opened = id
    if (id !== null) this.#active = id
    this.#draw()
  }

  focus() {
    this.#grid.focus({ preventScroll: true })
  }

  follow() {
    this.#isFollowing = true
    this.#draw()
  }

  clearSelection() {
    this.#selected.clear()
    this.#selectionChanged()
  }

  /** Brings a row into sight, where the filter shows it. */
  reveal(id) {
    const index = this.#items.findIndex((item) => item.row?.id === id)
    if (index < 0) return
    this.#active = id
    this.#scrollTo(index)
  }

  // MARK: What is listed

  #hear(kind, detail) {
    if (kind === "all") {
      this.#selected.clear()
      this.#isFollowing = true
      this.#selectionChanged()
      this.#rebuild()
    } else if (kind === "rows") {
      this.#takeIn(detail)
    } else if (kind === "segments") {
      this.#rebuild()
    } else if (kind === "counters") {
      this.#rescale()
    }
  }

  #takeIn({ added, isChanged, removed, isMixed }) {
    const test = this.#filter.test
    if (removed > 0 || isMixed || (isChanged && test)) {
      this.#rebuild()
    } else {
      for (const entry of added) if (!test || test(entry)) this.#append(entry)
      this.#sayNews()
      this.#draw()
    }
  }

  #append(entry) {
    if (entry.row.segment !== this.#lastSegment) {
      this.#lastSegment = entry.row.segment
      this.#items.push({ number: entry.row.segment })
    }
    this.#items.push(entry)
    this.#exchanges += 1
  }

  #build() {
    const test = this.#filter.test
    const top = this.#items[Math.floor(this.#grid.scrollTop / this.#height)]
    this.#items = []
    this.#exchanges = 0
    this.#lastSegment = null
    for (const entry of this.#store.entries) {
      if (!test || test(entry)) this.#append(entry)
    }
    // A story that was just begun is shown before its first request.
    if (!test) {
      for (const number of this.#store.segments.keys()) {
        if (number <= (this.#lastSegment ?? 0)) continue
        this.#items.push({ number })
        this.#lastSegment = number
      }
    }
    if (!this.#isFollowing) {
      const at = top?.row ? this.#items.indexOf(top) : -1
      if (at >= 0) {
        this.#resize()
        this.#grid.scrollTop = at * this.#height + (this.#grid.scrollTop % this.#height)
      }
    }
    this.#sayNews()
    this.#draw()
  }

  /** Tells how many of the list came after the newest that was seen. */
  #sayNews() {
    if (this.#isFollowing) this.#newestSeen = this.#store.entries.at(-1)?.row.id ?? 0
    let news = 0
    for (let index = this.#items.length - 1; index >= 0; index -= 1) {
      const row = this.#items[index].row
      if (row && row.id <= this.#newestSeen) break
      if (row) news += 1
    }
    this.callbacks.onNews(news)
  }

  // MARK: What is in sight

  #measure() {
    // The style says it in the unit of the text, and it differs between wide and narrow screens.
    const height = parseFloat(getComputedStyle(this.#rows).minHeight)
    if (height > 0 && height !== this.#height) {
      this.#height = height
      for (const shown of this.#elements.values()) shown.element.remove()
      this.#elements.clear()
    }
    this.#draw()
  }

  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.#grid
    // Rows that come and go move the list, too; only who scrolls up leaves the newest.
    if (scrollTop + clientHeight >= scrollHeight - this.#height / 2) this.#isFollowing = true
    else if (scrollTop < this.#placed - 1) this.#isFollowing = false
    this.#sayNews()
    this.#draw()
  }

  #resize() {
    this.#rows.style.setProperty("height", `${this.#items.length * this.#height}px`)
  }

  #render() {
    const grid = this.#grid
    this.#resize()
    if (this.#isFollowing) {
      grid.scrollTop = grid.scrollHeight
      this.#placed = grid.scrollTop
    }
    const first = Math.max(0, Math.floor(grid.scrollTop / this.#height) - OVERSCAN)
    const last = Math.min(
      this.#items.length,
      Math.ceil((grid.scrollTop + grid.clientHeight) / this.#height) + OVERSCAN,
    )
    // Those out of sight are taken out and used again at the other end; the order of elements stays
    // that of the rows, because screen readers read it.
    const spare = []
    for (const [index, shown] of this.#elements) {
      if (index >= first && index < last) continue
      shown.element.remove()
      this.#elements.delete(index)
      spare.push(shown)
    }
    let next = this.#rows.firstElementChild
    let active = null
    for (let index = first; index < last; index += 1) {
      let shown = this.#elements.get(index)
      if (!shown) {
        shown = spare.pop() ?? makeRow()
        this.#elements.set(index, shown)
        shown.element.style.setProperty("transform", `translateY(${index * this.#height}px)`)
        shown.element.setAttribute("aria-rowindex", index + 2)
      }
      if (shown.element === next) next = next.nextElementSibling
      else this.#rows.insertBefore(shown.element, next)
      const item = this.#items[index]
      this.#fill(shown, item)
      if (item.row && item.row.id === this.#active) active = shown.element.id
    }
    grid.setAttribute("aria-rowcount", this.#items.length + 1)
    this.callbacks.onCount(this.#exchanges, this.#items.length * this.#height)
    if (active) grid.setAttribute("aria-activedescendant", active)
    else grid.removeAttribute("aria-activedescendant")
  }

  #fill(shown, item) {
    const row = item.row
    if (row) {
      if (shown.row !== row) fillExchange(shown, row)
      const { classList } = shown.element
      classList.toggle("active", row.id === this.#active)
      classList.toggle("opened", row.id === this.#opened)
      const isSelected = this.#selected.has(row.id)
      classList.toggle("selected", isSelected)
      shown.element.setAttribute("aria-selected", isSelected)
    } else {
      fillSegment(shown, this.#store.segments.get(item.number), item.number)
    }
  }

  /** The duration that fills a bar: a round one a little above the 95th percentile. */
  #rescale() {
    const wanted = (this.#store.counters.latency?.p95 ?? 800) * 1.2
    const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)))
    const scale = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= wanted)
    if (scale === this.#scale) return
    this.#scale = scale
    this.#grid.style.setProperty("--scale", scale)
    setText(this.#grid.querySelector(".scale"), `to ${format.duration(scale)}`)
  }

  // MARK: What the user does

  #click(event) {
    const shown = this.#shownAt(event.target)
    if (!shown?.row) return
    this.#active = shown.row.id
    if (event.shiftKey) this.#selectRange(shown.row.id)
    else if (event.ctrlKey || event.metaKey || event.target.closest(".check")) this.#toggle(shown.row.id)
    else this.callbacks.onOpen(shown.row.id)
    this.#draw()
  }

  #shownAt(target) {
    const found = target.closest("[role=row]")
    for (const shown of this.#elements.values()) if (shown.element === found) return shown
    return null
  }

  #key(event) {
    if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      for (const item of this.#items) if (item.row) this.#selected.add(item.row.id)
      this.#selectionChanged()
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      return
    } else if (event.key === "Enter" && this.#active !== null) {
      this.callbacks.onOpen(this.#active)
    } else if (event.key === " " && this.#active !== null) {
      this.#toggle(this.#active)
    } else if (!this.move(event.key, event.shiftKey)) {
      return
    }
    event.preventDefault()
  }

  /** Moves the active row by a key; false where the key moves nothing. */
  move(key, isSelecting = false) {
    const page = Math.max(1, Math.floor(this.#grid.clientHeight / this.#height) - 2)
    const at = this.#items.findIndex((item) => item.row && item.row.id === this.#active)
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }
    let index
    if (key === "Home") index = 0
    else if (key === "End") index = this.#items.length - 1
    else if (!(key in steps)) return false
    else if (at < 0) index = this.#isFollowing ? this.#items.length - 1 : Math.ceil(this.#grid.scrollTop / this.#height)
    else index = at + steps[key]
    index = Math.min(Math.max(index, 0), this.#items.length - 1)
    // A segment's line is passed over, in the direction of the move.
    const step = index < at || key === "End" ? -1 : 1
    while (this.#items[index] && !this.#items[index].row) index += step
    const row = this.#items[index]?.row
    if (!row) return true
    if (isSelecting) {
      if (this.#active !== null) this.#selected.add(this.#active)
      this.#selected.add(row.id)
      this.#selectionChanged()
    }
    this.#active = row.id
    this.#scrollTo(index)
    return true
  }

  #scrollTo(index) {
    const head = this.#grid.querySelector(".head").offsetHeight
    const top = index * this.#height
    const space = this.#grid.clientHeight - head
    if (index === this.#items.length - 1) {
      this.#isFollowing = true
    } else if (top < this.#grid.scrollTop) {
      this.#isFollowing = false
      this.#grid.scrollTop = top
    } else if (top + this.#height > this.#grid.scrollTop + space) {
      this.#isFollowing = false
      this.#grid.scrollTop = top + this.#height - space
    }
    this.#draw()
  }

  #toggle(id) {
    if (!this.#selected.delete(id)) this.#selected.add(id)
    this.#rangeFrom = id
    this.#selectionChanged()
  }

  #selectRange(id) {
    const from = this.#rangeFrom ?? id
    const [low, high] = from < id ? [from, id] : [id, from]
    for (const { row } of this.#items) if (row && row.id >= low && row.id <= high) this.#selected.add(row.id)
    this.#rangeFrom = id
    this.#selectionChanged()
  }

  #selectionChanged() {
    this.callbacks.onSelect([...this.#selected])
    this.#draw()
  }
}

// MARK: Elements of a row

const CELLS = ["check", "time", "method", "url", "status", "attempt", "faults", "source", "duration"]
let made = 0

function makeRow() {
  made += 1
  const cells = {}
  for (const name of CELLS) cells[name] = element("span", { class: name, role: "gridcell" })
  cells.origin = element("span", { class: "origin" })
  cells.path = element("span", { class: "path" })
  cells.url.append(cells.origin, cells.path)
  cells.bar = element("span", { class: "bar", "aria-hidden": "true" })
  cells.figure = element("span", { class: "figure" })
  cells.duration.append(cells.bar, cells.figure)
  cells.segment = element("span", { class: "words", role: "gridcell", "aria-colspan": CELLS.length })
  return { element: element("div", { role: "row", id: `row-${made}` }), cells, row: undefined, kind: null }
}

/** Gives the element the cells of its kind: an exchange has nine, a segment's line one. */
function setKind(shown, kind) {
  if (shown.kind === kind) return
  shown.kind = kind
  const { cells } = shown
  shown.element.replaceChildren(...(kind === "segment" ? [cells.segment] : CELLS.map((name) => cells[name])))
}

function fillExchange(shown, row) {
  setKind(shown, "exchange")
  shown.row = row
  const { cells } = shown
  const isOpen = format.isOpen(row)
  const { origin, rest } = format.urlParts(row.url.slice(0, ADDRESS_MAX))
  const classes = ["exchange"]
  if (isOpen) classes.push("open")
  if (format.isBroken(row)) classes.push("broken")
  shown.element.className = classes.join(" ")
  setText(cells.time, format.moment(row.at))
  setText(cells.method, row.method)
  setText(cells.origin, origin)
  setText(cells.path, rest)
  setText(cells.status, row.status === null ? (isOpen ? "…" : "–") : String(row.status))
  cells.status.className = row.status === null ? "status" : `status s${format.statusClass(row.status)}`
  setText(cells.attempt, format.attempt(row))
  setText(cells.faults, troubles(row))
  setText(cells.source, format.take(row) + (row.conversation ? " ⇄" : ""))
  setText(cells.figure, isOpen ? "under way" : format.duration(row.latency))
  cells.bar.style.setProperty("--ms", row.latency ?? 0)
  cells.bar.style.setProperty("--first", row.latency ? Math.min(1, (row.firstByte ?? 0) / row.latency) : 0)
}

/** Faults, and the ending where it is no whole answer. */
function troubles(row) {
  const ending = row.ending === null || row.ending === "whole" ? [] : [format.ending(row.ending)]
  return [...row.faults.map(format.fault), ...ending].join(" · ")
}

/** The parts of a story in words: what was flown in it, and the hash by which two of a kind are known. */
function fillSegment(shown, segment, number) {
  setKind(shown, "segment")
  shown.row = null
  shown.element.className = "segment"
  shown.element.removeAttribute("aria-selected")
  const seed = segment ? ` · seed ${segment.seed} · ${segment.hash}` : ""
  setText(shown.cells.segment, `Segment ${number}: ${segment?.scenario ?? "unknown"}${seed}`)
}
