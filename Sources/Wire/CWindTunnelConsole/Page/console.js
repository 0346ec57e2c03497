// The page: makes its parts, and passes what one says to the others.

import { api } from "./api.js"
import { Charts } from "./charts.js"
import { Detail } from "./detail.js"
import { byId, element, oncePerFrame, setText } from "./dom.js"
import { parse, term, withTerm } from "./filter.js"
import { Findings } from "./findings.js"
import * as format from "./format.js"
import { List } from "./list.js"
import { Store } from "./store.js"
import { connect } from "./stream.js"
import { Weather } from "./weather.js"

const NOTICE_MS = 5_000
const ERROR_MS = 20_000
const NOTICES_MAX = 4
const PIECE = 1_000
/** The time without sums after which the rows that are missing are fetched. */
const CALM_MS = 1_500

const store = new Store()

// MARK: Notices, which are also what a screen reader is told

function say(text, isError = false, ...more) {
  const notices = byId("notices")
  for (const older of [...notices.children]) if (older.dataset.text === text) older.remove()
  const close = element(
    "button", { type: "button", class: "plain", "aria-label": "Dismiss", onclick: () => notice.remove() }, "×",
  )
  const notice = element("p", { class: isError ? "error" : null, "data-text": text }, text, ...more, close)
  notices.append(notice)
  while (notices.childElementCount > NOTICES_MAX) notices.firstElementChild.remove()
  setTimeout(() => notice.remove(), isError ? ERROR_MS : NOTICE_MS)
}

const sayError = (error) => say(error.message, true)

// MARK: List and filter

const filterInput = byId("filter")
let selected = []
const list = new List(store, byId("grid"), {
  onOpen: (id) => open(id),
  onSelect: (ids) => {
    byId("selection").hidden = ids.length === 0
    setText(byId("selected"), `${format.several(ids.length, "exchange")} selected`)
    selected = ids
  },
  onCount: (number, height) => showCount(number, height),
  onNews: (number) => {
    byId("news").hidden = number === 0
    setText(byId("news"), `${format.count(number)} new ↓`)
  },
})

function setFilter(text) {
  filterInput.value = text
  applyFilter()
}

function applyFilter() {
  const text = filterInput.value
  const filter = parse(text)
  setText(byId("filter-problem"), filter.problem ?? "")
  list.filter = filter
  for (const select of document.querySelectorAll("#filters select")) showTerm(select, term(text, select.dataset.key))
  byId("only-broken").checked = term(text, "is") === "broken"
}

const filterSoon = oncePerFrame(applyFilter)
filterInput.addEventListener("input", filterSoon)
byId("filters").addEventListener("submit", (event) => {
  event.preventDefault()
  list.focus()
})
byId("filters").addEventListener("change", (event) => {
  const key = event.target.dataset.key
  if (key) setFilter(withTerm(filterInput.value, key, event.target.value))
  if (event.target.id === "only-broken") {
    setFilter(withTerm(filterInput.value, "is", event.target.checked ? "broken" : ""))
  }
})

function showCount(number, height) {
  const all = store.entries.length
  const missing = [
    store.dropped > 0 && `${format.count(store.dropped)} older exchanges are no longer stored`,
    store.unseen > 0 && `${format.count(store.unseen)} more arrived while no page was open`,
  ].filter(Boolean).join(", ")
  const shown = number === all ? format.several(all, "exchange") : `${format.count(number)} of ${format.count(all)}`
  setText(byId("shown"), missing ? `${shown} (${missing})` : shown)
  const empty = byId("empty")
  empty.hidden = number > 0
  empty.style.setProperty("--lines", `${height}px`)
  const none = "No request yet. They appear here as they arrive."
  const without = missing ? `No exchange here matches the filter; ${missing}.` : "No exchange matches the filter."
  setText(empty, all > 0 ? without : none)
}

// The choices of a select are those that occurred; they grow with the counters.
const CHOICES = {
  method: { label: "Method", values: () => methods },
  status: { label: "Status", values: () => statuses() },
  fault: { label: "Fault", values: () => Object.keys(store.counters?.faults ?? {}).sort() },
  segment: { label: "Segment", values: () => [...store.segments.keys()].map(String) },
}
const methods = new Set()

function statuses() {
  const all = Object.keys(store.counters?.statuses ?? {}).sort()
  return [...new Set(all.map((status) => format.statusClass(Number(status)))), ...all]
}

function showTerm(select, value) {
  const { label, values } = CHOICES[select.dataset.key]
  const wanted = [...values()]
  // Values are lower case in a filter, which compares without case.
  const known = wanted.find((one) => one.toLowerCase() === value.toLowerCase())
  if (value !== "" && known === undefined) wanted.push(value)
  const labels = select.dataset.key === "segment"
    ? wanted.map((number) => `${number} ${store.segments.get(Number(number))?.scenario ?? ""}`)
    : wanted
  const key = labels.join("\n")
  if (select.dataset.shown !== key) {
    select.dataset.shown = key
    select.replaceChildren(
      element("option", { value: "" }, label),
      ...wanted.map((one, index) => element("option", { value: one }, labels[index])),
    )
  }
  select.value = value === "" ? "" : (known ?? value)
}

const showChoices = oncePerFrame(() => {
  for (const select of document.querySelectorAll("#filters select")) {
    showTerm(select, term(filterInput.value, select.dataset.key))
  }
})

byId("news").addEventListener("click", () => {
  list.follow()
  list.focus()
})

// MARK: Detail; its address is in the URL, so that "back" leads back

const detail = new Detail(store, {
  open: (id) => open(id),
  close,
  copy,
  keep,
  again: async (id) => {
    try {
      await api.again(id)
      say("Sent again; it has its own row.")
    } catch (error) {
      sayError(error)
    }
  },
  addRule: async (row, text) => {
    let fault
    try {
      fault = JSON.parse(text)
    } catch {
      return say(`“${text}” is not JSON. Write a fault as in a scenario file: { "status": 503 }.`, true)
    }
    try {
      const { segment } = await api.addRule(row.id, fault)
      const path = format.urlParts(row.url).rest.split("?")[0]
      say(`It applies from the next request to ${row.method} ${path}, with any host and query: segment ${segment}. `
        + "You can remove it in the rules of this segment.")
    } catch (error) {
      sayError(error)
    }
  },
})

const idInAddress = () => {
  const match = /^#exchange-(\d+)$/.exec(location.hash)
  return match ? Number(match[1]) : null
}

async function open(id) {
  if (detail.id === null) history.pushState(null, "", `#exchange-${id}`)
  else history.replaceState(null, "", `#exchange-${id}`)
  await showAddressed()
  detail.focus()
}

function close() {
  history.replaceState(null, "", location.pathname)
  showAddressed()
  list.focus()
}

async function showAddressed() {
  const id = idInAddress()
  list.opened = id
  if (id !== null) {
    showView("exchanges")
    list.reveal(id)
  }
  await detail.show(id)
}

addEventListener("popstate", showAddressed)

// MARK: What is taken along

async function keep(ids) {
  try {
    const document = await api.cassette(ids)
    const url = URL.createObjectURL(document)
    const name = ids.length === 1 ? ids[0] : `${ids.length}-exchanges`
    element("a", { href: url, download: `cassette-${name}.json` }).click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
    say(`A cassette of ${format.several(ids.length, "exchange")} was downloaded.`)
  } catch (error) {
    sayError(error)
  }
}

async function copy(text, what) {
  try {
    // A page that comes by plain HTTP from another machine than this has no clipboard of that kind.
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    say(`${what} was copied.`)
  } catch {
    say(`${what} could not be copied: the browser did not allow it.`, true)
  }
}

function copyBySelection(text) {
  const area = element("textarea", { class: "hidden" })
  area.value = text
  document.body.append(area)
  const focused = document.activeElement
  area.select()
  const isDone = document.execCommand("copy")
  area.remove()
  focused.focus()
  if (!isDone) throw new Error("refused")
}

byId("keep-selected").addEventListener("click", () => keep(selected))
byId("clear-selected").addEventListener("click", () => {
  list.clearSelection()
  list.focus()
})

// MARK: Other parts

new Weather(store, say)
new Findings(store, (finding) => {
  setFilter(`id:${finding.rows.join(",")}`)
  showView("exchanges")
  list.reveal(finding.rows[0])
  list.focus()
})
new Charts(store, (key, value) => {
  setFilter(withTerm(filterInput.value, key, value))
  showView("exchanges")
  list.focus()
})

/** On narrow screens one part is shown at a time; wide ones show them all. */
function showView(name) {
  document.body.dataset.view = name
  for (const button of byId("views").children) {
    if (button.dataset.to === name) button.setAttribute("aria-current", "page")
    else button.removeAttribute("aria-current")
  }
}

byId("views").addEventListener("click", (event) => {
  const name = event.target.dataset.to
  if (name) showView(name)
})

// MARK: Events

/** A connection begins with the findings so far, which are no news. */
const BEGINNING_MS = 1_000
let helloAt = 0
let calmTimer = null

store.subscribe((kind, detail) => {
  if (kind === "all") {
    helloAt = performance.now()
    setText(byId("tool"), store.hello.tool)
    document.body.dataset.tool = store.hello.tool
    methods.clear()
    byId("keep-selected").disabled = !store.hello.can.keep
  }
  if (kind === "rows") {
    const before = methods.size
    for (const { row } of detail.added) methods.add(row.method)
    if (methods.size > before) showChoices()
  }
  if (kind === "counters" || kind === "segments" || kind === "all") showChoices()
  if (kind === "findings" && performance.now() - helloAt > BEGINNING_MS) say(`Finding: ${detail.title}`)
  if (kind === "summed") {
    showSummed()
    clearTimeout(calmTimer)
    calmTimer = setTimeout(fetchMissing, CALM_MS)
  }
})

function showSummed() {
  const perSecond = store.summedPerSecond
  byId("summed").hidden = store.missingAfter === null
  setText(
    byId("summed"),
    perSecond > 0
      ? `${format.count(perSecond)} more events per second: only sums are shown. The rows follow at a lower rate.`
      : "The rows of these sums follow.",
  )
}

/** The rows that came as sums, as far as they are kept. */
async function fetchMissing() {
  let after = store.missingAfter
  // A new connection has brought them.
  if (after === null) return showSummed()
  store.missingAfter = null
  try {
    for (;;) {
      const { rows, dropped, unseen } = await api.exchangesAfter(after, PIECE)
      store.addRows(rows)
      store.dropped = Math.max(store.dropped, dropped)
      store.unseen = unseen
      if (rows.length < PIECE) break
      after = rows.at(-1).id
    }
  } catch (error) {
    sayError(error)
  }
  showSummed()
}

const tryNow = connect({
  onEvent: (name, data) => store.apply(name, data),
  onLink: (state, pause) => {
    const connection = byId("connection")
    const was = connection.dataset.state
    connection.dataset.state = state
    if (state === "open") {
      setText(connection, "Live")
      if (was !== "open" && store.hello !== null) say("Connected again; the page shows the current state.")
    } else if (state === "ended") {
      setText(connection, "The tool has ended; this is the last state.")
      say("The tool has ended.")
    } else {
      connection.replaceChildren(
        `Connection lost; next try in ${format.duration(pause)}. `,
        element("button", { type: "button", onclick: () => tryNow() }, "Try now"),
      )
      if (was === "open") say("Connection lost.", false)
    }
  },
})

// MARK: Keys

const keys = byId("keys")
byId("show-keys").addEventListener("click", () => keys.showModal())

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || keys.open) return
  const isTyping = event.target.closest("input:not([type=range], [type=checkbox]), select, textarea")
  if (event.key === "Escape") {
    // A search field is emptied first, which the browser does.
    if (event.target.type === "search" && event.target !== filterInput && event.target.value !== "") return
    if (event.target === filterInput && filterInput.value !== "") setFilter("")
    else if (detail.id !== null) close()
    else list.focus()
  } else if (isTyping) {
    if (event.target === filterInput && event.key === "ArrowDown") list.focus()
    return
  } else if (event.key === "/") {
    showView("exchanges")
    filterInput.focus()
    filterInput.select()
  } else if (event.key === "?") {
    keys.showModal()
  } else if (event.key === "j" || event.key === "k") {
    list.move(event.key)
    list.focus()
  } else {
    return
  }
  event.preventDefault()
})

showChoices()
showAddressed()
