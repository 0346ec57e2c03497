// The detail of one exchange: what was asked and answered, where the time went, and why the
// cassette answered as it did.

import { api } from "./api.js"
import { conversation } from "./conversation.js"
import { byId, element, setText } from "./dom.js"
import * as format from "./format.js"

/** Characters of a body that are shown at once; more by a click, since layout costs by the character. */
const BODY_SHOWN_MAX = 20_000
/** Attempts of one request that are drawn; where there are more, those around the open one. */
const ATTEMPTS_MAX = 30
const REFRESH_MS = 500

/** Faults that a click offers; the syntax is that of a scenario's file. */
const FAULTS = [
  ["answers 503", { status: 503 }],
  ["returns 503, retry after one second", { status: 503, retryAfterSeconds: 1 }],
  ["returns 429, retry after one second", { status: 429, retryAfterSeconds: 1 }],
  ["waits 2 s", { delayMilliseconds: 2000 }],
  ["resets the connection", { reset: "afterRequest" }],
  ["stalls in the body", { stallAfterBodyBytes: 4 }],
  ["truncates the body", { truncateAfterBodyBytes: 4 }],
  ["empties the body", { body: "empty" }],
  ["breaks the JSON", { body: "invalidJSON" }],
]

export class Detail {
  #store
  #pane = byId("detail")
  #actions
  #id = null
  #shown = null
  #timer = null
  #asked = 0

  /** `actions`: `copy`, `again`, `keep`, `addRule`, `close`, `open`, each a function of the page. */
  constructor(store, actions) {
    this.#store = store
    this.#actions = actions
    store.subscribe((kind) => {
      if (kind === "all" && this.#id !== null) this.#load()
      if (kind === "rows") this.#refresh()
    })
  }

  get id() {
    return this.#id
  }

  async show(id) {
    this.#id = id
    this.#pane.hidden = id === null
    document.body.classList.toggle("with-detail", id !== null)
    if (id === null) return this.#pane.replaceChildren()
    await this.#load()
  }

  focus() {
    byId("detail-title")?.focus()
  }

  /** Reads the exchange again when its row changed, and not more often than twice a second. */
  #refresh() {
    const row = this.#store.entry(this.#id)?.row
    if (!row || row === this.#shown || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#store.entry(this.#id)?.row !== this.#shown) this.#load()
    }, REFRESH_MS)
  }

  async #load() {
    // The first event tells the actions that the tool has.
    if (this.#store.hello === null) return
    const id = this.#id
    const asked = (this.#asked += 1)
    const row = this.#store.entry(id)?.row ?? null
    let detail = null
    let problem = null
    try {
      detail = await api.exchange(id)
    } catch (error) {
      problem = error.status === 404 ? `Exchange ${id} is no longer stored.` : error.message
    }
    // Another one was opened meanwhile.
    if (asked !== this.#asked || id !== this.#id) return
    this.#shown = row
    const hadFocus = this.#pane.contains(document.activeElement) ? document.activeElement.id : null
    const scrolled = this.#pane.scrollTop
    const isSame = this.#pane.dataset.id === String(id)
    this.#pane.dataset.id = id
    this.#pane.replaceChildren(...(detail ? this.#whole(detail) : [this.#head(row), note(problem)]))
    this.#pane.scrollTop = isSame ? scrolled : 0
    if (hadFocus) (byId(hadFocus) ?? byId("detail-title")).focus()
  }

  #whole(detail) {
    const { row } = detail
    return [
      this.#head(row),
      this.#buttons(detail),
      part("Summary", facts(row, detail)),
      this.#attempts(row),
      // One stage alone is no course.
      detail.stages.length > 1 && part("Stages", ...stages(detail.stages)),
      detail.match.words !== "" && part(
        row.source === "unmatched" ? "Why nothing matched" : "Why this response", ...match(detail.match),
      ),
      detail.messages && part("Conversation", ...conversation(detail.messages, detail.unshown)),
      part("Request", ...message(detail.request, "The request is not stored.", this.#actions.copy)),
      part("Answer", ...message(detail.response, withoutAnswer(row), this.#actions.copy)),
    ].filter(Boolean)
  }

  #head(row) {
    const title = row ? [`#${row.id} `, element("b", {}, row.method), " ", row.url] : [`Exchange ${this.#id}`]
    return element(
      "header", {},
      element("button", { type: "button", id: "detail-close", onclick: () => this.#actions.close() }, "Close"),
      element("h2", { id: "detail-title", tabindex: "-1" }, ...title),
    )
  }

  #buttons({ row, curl, request, againstRepeat }) {
    const { can, tool } = this.#store.hello
    // Of a tunnel or a connection nothing can be sent or kept.
    if (!request && row.kind !== "request") return null
    const button = (id, label, isAllowed, action) =>
      element("button", { type: "button", id, disabled: !isAllowed, onclick: action }, label)
    const refused = [
      !can.again && "cannot send requests again",
      !can.keep && "cannot save cassettes",
      !can.rule && "cannot add rules",
    ].filter(Boolean)
    return element(
      "div", { class: "actions", role: "group", "aria-label": "Actions" },
      button("copy-curl", "Copy as curl", Boolean(curl), () => this.#actions.copy(curl, "The curl command")),
      button("again", "Send again", can.again && againstRepeat === null, () => this.#actions.again(row.id)),
      button("keep", "Save as cassette", can.keep, () => this.#actions.keep([row.id])),
      can.rule && this.#ruleForm(row),
      refused.length > 0 && element("p", { class: "reason" }, `“${tool}” ${refused.join(", ")}.`),
      againstRepeat !== null && can.again && element("p", { class: "reason" }, `Not sent again: ${againstRepeat}`),
    )
  }

  #ruleForm(row) {
    const choice = element(
      "select", { id: "rule-fault" },
      ...FAULTS.map(([label, fault]) => element("option", { value: JSON.stringify(fault) }, label)),
      element("option", { value: "" }, "another fault …"),
    )
    const other = element("input", {
      id: "rule-other", placeholder: '{ "status": 503 }', spellcheck: "false", hidden: true,
      "aria-label": "Fault as in a scenario file",
    })
    choice.addEventListener("change", () => {
      other.hidden = choice.value !== ""
      if (!other.hidden) other.focus()
    })
    return element(
      "form",
      {
        class: "rule",
        onsubmit: (event) => {
          event.preventDefault()
          this.#actions.addRule(row, choice.value || other.value)
        },
      },
      element("label", { for: "rule-fault" }, "From now on it "), choice, other,
      element("button", { id: "add-rule" }, "Add as rule"),
    )
  }

  /** The attempts of this request on one axis of time, with the pauses between them. */
  #attempts(row) {
    const all = this.#store.entries
      .map((entry) => entry.row)
      .filter((other) => other.url === row.url && other.method === row.method
        && other.call === row.call && other.client === row.client)
    // A first attempt begins a new story of its own.
    const isFirst = (other) => other.attempt === 1
    const at = all.findIndex((other) => other.id === row.id)
    const next = all.findIndex((other, index) => index > at && isFirst(other))
    const first = all.findLastIndex((other, index) => index <= at && isFirst(other))
    const last = Math.min(next < 0 ? all.length : next, at + ATTEMPTS_MAX / 2)
    const same = all.slice(Math.max(first, last - ATTEMPTS_MAX), last)
    if (same.length < 2) return null
    const start = same[0].at
    const end = Math.max(...same.map((other) => other.at + (other.latency ?? 0)))
    const span = Math.max(end - start, 1)
    const rows = same.map((other) => {
      const bar = element("span", { class: "span", "aria-hidden": "true" })
      bar.style.setProperty("--from", (other.at - start) / span)
      bar.style.setProperty("--part", (other.latency ?? 0) / span)
      const gap = other.gap === null ? "" : `after ${duration(other.gap)}, `
      const words = `${gap}${other.status ?? format.ending(other.ending)}, ${duration(other.latency)}`
      return element(
        "li", {},
        element(
          "button",
          {
            type: "button", class: format.isBroken(other) ? "broken" : null,
            "aria-current": other.id === row.id ? "true" : null, onclick: () => this.#actions.open(other.id),
          },
          element("span", { class: "name" }, `${format.ordinalWord(other.attempt)}`), bar,
          element("span", { class: "words" }, words),
        ),
      )
    })
    const words = `${same.length} in ${duration(end - start)}`
    return part("Attempts", element("p", {}, words), element("ol", { class: "attempts" }, ...rows))
  }
}

const { duration } = format

function part(title, ...content) {
  return element("section", { class: "part" }, element("h3", {}, title), ...content)
}

const note = (text) => element("p", { class: "note" }, text)

function facts(row, { scenario, response, rules = [] }) {
  const gap = row.gap === null ? "" : `, ${duration(row.gap)} after the previous one had ended`
  const pairs = [
    ["Status", row.status === null ? "none" : String(row.status)],
    ["Ended", format.ending(row.ending)],
    ["Start", `${format.moment(row.at)}, in segment ${row.segment} (${scenario})`],
    ["Took", row.firstByte === null
      ? duration(row.latency)
      : `${duration(row.latency)}, first byte after ${duration(row.firstByte)}`],
    ["Size", format.size(row.bytes)],
    ["Attempt", `${format.ordinalWord(row.attempt)}${gap}`],
    row.kind === "request" && ["Response from", format.takeInWords(row, response !== null)],
    row.faults.length > 0 && ["Faults", (rules.length > 0 ? rules : row.faults).map(format.faultOfRule).join(" · ")],
    row.notDone.length > 0 && ["Not applied", row.notDone.map(format.fault).join(" · ")],
    row.call !== null && ["Call", row.call],
    row.client !== null && ["Client", row.client],
  ].filter(Boolean)
  return pairList(pairs)
}

function pairList(pairs) {
  return element("dl", { class: "pairs" }, ...pairs.flatMap(([name, value]) => [
    element("dt", {}, name), element("dd", {}, value),
  ]))
}

const STAGES = {
  handshake: "handshake",
  upload: "request sent",
  wait: "wait",
  firstByte: "to the first byte",
  content: "content",
}

/** Stages as one bar; the table has the same in figures. */
function stages(list) {
  const whole = list.reduce((sum, stage) => sum + stage.milliseconds, 0)
  const bar = element("div", { class: "stages", "aria-hidden": "true" }, ...list.map((stage) => {
    const piece = element("span", { "data-stage": stage.name })
    piece.style.setProperty("flex-grow", Math.max(stage.milliseconds / Math.max(whole, 0.001), 0.002))
    return piece
  }))
  const rows = list.map((stage) => element(
    "tr", {},
    element("th", { scope: "row" }, element("i", { "data-stage": stage.name }), STAGES[stage.name] ?? stage.name),
    element("td", {}, duration(stage.milliseconds)),
    element("td", {}, whole > 0 ? `${Math.round((stage.milliseconds / whole) * 100)} %` : ""),
  ))
  return [bar, element("table", { class: "figures" }, element("tbody", {}, ...rows))]
}

function match({ words, candidates }) {
  const list = candidates.map((candidate) => element(
    "li", {},
    element("p", {}, element("b", {}, `#${candidate.interaction} `), candidate.request),
    candidate.differences.length > 0
      ? element("ul", {}, ...candidate.differences.map((difference) => element("li", {}, difference)))
      : element("p", { class: "note" }, "No difference."),
  ))
  return [
    element("p", {}, words),
    list.length > 0 && element("h4", {}, format.several(list.length, "candidate")),
    list.length > 0 && element("ol", { class: "candidates" }, ...list),
  ]
}

function withoutAnswer(row) {
  if (row.ending === null) return "No response yet."
  if (row.status === null) return `No response: ${format.ending(row.ending)}.`
  if (row.source === "withheld" && row.interaction !== null) {
    return `A fault changed recording ${row.interaction}; the sent response is not stored.`
  }
  if (row.source === "withheld") {
    return `WindTunnel created it, with status ${row.status}; the sent response is not stored.`
  }
  return `It had status ${row.status}; the sent response is not stored.`
}

function message(found, absent, copy) {
  if (!found) return [note(absent)]
  const headers = found.headers.map(([name, value]) => element(
    "tr", {}, element("th", { scope: "row" }, name), element("td", {}, value),
  ))
  return [
    element("p", { class: "line" }, found.line),
    headers.length > 0 && element("table", { class: "headers" }, element("tbody", {}, ...headers)),
    ...body(found, copy),
  ]
}

function body({ body: text, bodyBytes, bodyKind, cutAt, note: reason }, copy) {
  if (bodyKind === "empty" || (bodyBytes === 0 && !text)) return [note("No body.")]
  const kind = bodyKind === "unknown" ? "a body" : bodyKind
  const cut = cutAt === null ? "" : `, cut off after ${format.size(cutAt)}`
  if (reason) return [note(`${format.size(bodyBytes)}: ${reason}.`)]
  if (text === null) return [note(`${format.size(bodyBytes)} of ${kind}${cut}; not shown.`)]
  const whole = bodyKind === "json" ? format.readable(text) : text
  const shown = element("pre", { tabindex: "0", role: "region", "aria-label": "Body" }, whole.slice(0, BODY_SHOWN_MAX))
  const rest = whole.length > BODY_SHOWN_MAX && element(
    "button",
    {
      type: "button",
      onclick: (event) => {
        setText(shown, whole)
        event.target.remove()
        shown.focus()
      },
    },
    `Show all of ${format.size(whole.length)}`,
  )
  return [
    element(
      "p", { class: "note" }, `${format.size(bodyBytes)} of ${kind}${cut} `,
      element("button", { type: "button", class: "plain", onclick: () => copy(text, "The body") }, "Copy"),
    ),
    shown,
    rest,
  ]
}
