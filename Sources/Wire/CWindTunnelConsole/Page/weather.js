// The weather: the scenario by a click, the link's numbers by sliders. Both hold from the next
// request on, in a segment of its own.

import { api } from "./api.js"
import { byId, element, roving, setText } from "./dom.js"
import * as format from "./format.js"

const DELAYS = [0, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000]
const LOSSES = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5]
const RATES = [8, 16, 32, 64, 128, 256, 400, 500, 780, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
/** So many scenarios need no search. */
const FOUND_AT_A_GLANCE = 6
/** The time that a slider rests before its value is sent. */
const SETTLED_MS = 250

/** The sliders: steps that people use, since an even scale has no room for the small ones. */
const SLIDERS = [
  { key: "latency", label: "Round trip", steps: DELAYS, words: format.duration,
    title: "Of every connection: opening one takes a round trip, and its first response another." },
  { key: "jitter", label: "Jitter", steps: DELAYS, words: format.duration },
  { key: "loss", label: "Loss", steps: LOSSES, words: format.percent },
  { key: "down", label: "Down", steps: RATES, words: format.rate },
  { key: "up", label: "Up", steps: RATES, words: format.rate },
]

export class Weather {
  #store
  #say
  #scenarios = byId("scenarios")
  #find = byId("find-scenario")
  #roving = roving(this.#scenarios)
  #sliders = new Map()

  /** `say(text, isError)` tells the user. */
  constructor(store, say) {
    this.#store = store
    this.#say = say
    this.#makeSliders()
    this.#find.addEventListener("input", () => this.#sift())
    store.subscribe((kind) => {
      if (kind === "all") this.#begin()
      if (kind === "segments") this.#show()
    })
  }

  #begin() {
    const { can, scenarios, tool } = this.#store.hello
    reason(byId("scenario-reason"), can.scenario, `“${tool}” sets its scenarios itself: they cannot be changed here.`)
    reason(byId("link-reason"), can.link, `“${tool}” sets its link itself: it cannot be changed here.`)
    const buttons = scenarios.map(({ name, summary }) => element(
      "button",
      { type: "button", "data-name": name, disabled: !can.scenario, onclick: () => this.#switch(name) },
      element("b", {}, name),
      summary ? element("span", {}, summary) : null,
    ))
    this.#scenarios.replaceChildren(...buttons)
    this.#find.hidden = buttons.length <= FOUND_AT_A_GLANCE
    this.#sift()
    this.#show()
  }

  /** Shows the scenarios that have every word that is looked for. */
  #sift() {
    const words = this.#find.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const button of this.#scenarios.children) {
      button.hidden = !words.every((word) => button.textContent.toLowerCase().includes(word))
    }
    this.#settle()
  }

  /** Leads the Tab key to the scenario that is flown, or to the first one that is shown. */
  #settle() {
    const shown = "button:not([hidden])"
    this.#roving.settle(this.#scenarios.querySelector(`${shown}[aria-pressed=true]`) ?? this.#scenarios.querySelector(shown))
  }

  #show() {
    const segment = this.#store.segment
    if (segment === null) return setText(byId("segment"), "No segment yet.")
    setText(
      byId("segment"),
      `Segment ${segment.number}: ${segment.scenario}, seed ${segment.seed}, since ${format.moment(segment.at)}`,
    )
    byId("segment").title = `Hash ${segment.hash}`
    let current = null
    for (const button of this.#scenarios.querySelectorAll("button")) {
      // A changed link goes by its scenario's name with words behind it.
      const isCurrent = segment.scenario === button.dataset.name
        || segment.scenario.startsWith(`${button.dataset.name} (`)
      if (isCurrent) current = button
      button.setAttribute("aria-pressed", isCurrent)
    }
    if (current !== null && !this.#scenarios.contains(document.activeElement)) {
      this.#scenarios.scrollTop = current.offsetTop - this.#scenarios.offsetTop
    }
    this.#settle()
    for (const slider of SLIDERS) this.#place(slider, segment.link?.[slider.key] ?? null)
    const rules = segment.rules.map((rule, index) => element(
      "li", {}, rule, " ",
      this.#store.hello?.can.rule && element(
        "button",
        {
          type: "button", class: "plain", "aria-label": `Remove rule ${index + 1}, ${rule}`,
          onclick: () => this.#change(
            () => api.removeRule(index + 1, segment.number),
            `Without “${rule}” from the next request on`,
          ),
        },
        "Remove",
      ),
    ))
    const list = byId("rules").querySelector("ol")
    const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement)
    list.replaceChildren(...rules)
    if (focused >= 0) {
      const left = [...list.querySelectorAll("button")]
      const next = left[Math.min(focused, left.length - 1)] ?? byId("rules").querySelector("summary")
      next.focus()
    }
    setText(byId("rules").querySelector("summary"), `${format.several(rules.length, "rule")} of this segment`)
  }

  async #switch(name) {
    await this.#change(() => api.setScenario(name), `${name} from the next request on`)
  }

  async #change(request, words) {
    try {
      const { segment } = await request()
      this.#say(`${words}: segment ${segment}.`)
    } catch (error) {
      this.#say(error.message, true)
      this.#show()
    }
  }

  // MARK: Sliders

  #makeSliders() {
    const form = byId("link")
    form.addEventListener("submit", (event) => event.preventDefault())
    for (const slider of SLIDERS) {
      const id = `link-${slider.key}`
      const input = element("input", { type: "range", id, min: 0, max: slider.steps.length - 1, step: 1 })
      const output = element("output", { for: id })
      input.addEventListener("input", () => tell(slider, input, output, slider.steps[input.value]))
      const known = { input, output, timer: null }
      input.addEventListener("change", () => {
        // The arrow keys change it step by step, and one segment is enough for them all.
        clearTimeout(known.timer)
        known.timer = setTimeout(() => {
          known.timer = null
          const value = slider.steps[input.value]
          this.#change(
            () => api.setLink({ [slider.key]: value }),
            `${slider.label} ${slider.words(value)} from the next request on`,
          )
        }, SETTLED_MS)
      })
      this.#sliders.set(slider.key, known)
      form.append(element("label", { for: id, title: slider.title }, slider.label), input, output)
    }
  }

  #place(slider, value) {
    const { input, output, timer } = this.#sliders.get(slider.key)
    input.disabled = !this.#store.hello?.can.link
    // Its user has it in hand.
    if (input.matches(":active") || timer !== null) return
    input.value = nearest(slider.steps, value ?? (slider.steps === RATES ? Infinity : 0))
    tell(slider, input, output, value)
  }
}

function tell(slider, input, output, value) {
  const words = value === null || value === undefined ? "unset" : slider.words(value)
  setText(output, words)
  input.setAttribute("aria-valuetext", words)
}

function nearest(steps, value) {
  let best = 0
  for (let index = 1; index < steps.length; index += 1) {
    if (Math.abs(steps[index] - value) <= Math.abs(steps[best] - value)) best = index
  }
  return best
}

function reason(target, isAllowed, text) {
  target.hidden = isAllowed
  setText(target, isAllowed ? "" : text)
}
