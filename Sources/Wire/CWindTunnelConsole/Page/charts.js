// Figures over the last five minutes, drawn as SVG, each with its words; and tallies as bars that
// filter the list.

import { byId, element, setText, shape } from "./dom.js"
import * as format from "./format.js"
import { CHART_MS } from "./store.js"

const WIDTH = 300
const HEIGHT = 56
/** Counters come once a second while something changes: a longer silence is none at all. */
const SILENCE_MS = 2_500

const CHARTS = [
  {
    id: "rate", title: "Requests per second", words: format.count,
    lines: [{ name: "requests", of: (sample) => sample.perSecond }], restsAtZero: true,
  },
  {
    id: "latency", title: "Latency", words: format.duration,
    lines: ["p50", "p95", "p99"].map((name) => ({ name, of: (sample) => sample.latency?.[name] ?? null })),
  },
  {
    id: "trouble", title: "Failures per second", words: format.count,
    lines: [
      { name: "failed", of: (sample, before) => perSecond(sample, before, "failed") },
      { name: "faulted", of: (sample, before) => perSecond(sample, before, "faulted") },
    ],
    restsAtZero: true,
  },
]

function perSecond(sample, before, name) {
  if (!before || sample.isFirst) return null
  // Counters come once a second while something changes: what a longer pause ends with is of its last.
  const seconds = Math.min(Math.max((sample.at - before.at) / 1000, 0.1), 1)
  return Math.max(0, sample[name] - before[name]) / seconds
}

const TALLIES = [
  { key: "statuses", title: "Statuses", filter: "status" },
  { key: "sources", title: "Response from", filter: "source" },
  { key: "faults", title: "Faults", filter: "fault" },
]

export class Charts {
  #store
  #onFilter
  #charts = CHARTS.map(makeChart)
  #tallies

  /** `onFilter(key, value)` is told when a tally is clicked. */
  constructor(store, onFilter) {
    this.#store = store
    this.#onFilter = onFilter
    this.#tallies = TALLIES.map((tally) => makeTally(tally))
    byId("charts").append(...this.#charts.map((chart) => chart.figure))
    byId("tallies").append(...this.#tallies.map((tally) => tally.section))
    store.subscribe((kind) => {
      if (kind === "counters") this.#draw()
    })
    // Time goes on where nothing happens.
    setInterval(() => this.#drawCharts(), 1000)
  }

  #draw() {
    const counters = this.#store.counters
    const totals = [
      ["requests", counters.requests + counters.unseen], ["under way", counters.open], ["failed", counters.failed],
      ["faulted", counters.faulted], ["retries", counters.retries],
    ].map(([name, number]) => element("div", {}, element("dt", {}, name), element("dd", {}, format.count(number))))
    totals.push(element("div", {}, element("dt", {}, "bytes"), element("dd", {}, format.size(counters.bytes))))
    byId("totals").replaceChildren(...totals)
    for (const tally of this.#tallies) this.#drawTally(tally, counters[tally.key])
    this.#drawCharts()
  }

  #drawCharts() {
    if (document.hidden || this.#store.counters === null) return
    for (const chart of this.#charts) drawChart(chart, this.#store.samples, this.#store.now)
  }

  #drawTally({ filter, list, rows }, numbers) {
    const whole = Math.max(1, ...Object.values(numbers))
    for (const [name, number] of Object.entries(numbers)) {
      let row = rows.get(name)
      if (!row) {
        row = makeTallyRow(name, () => this.#onFilter(filter, name))
        rows.set(name, row)
        // By name and not by number, so that none jumps while it is read.
        const after = [...rows.keys()].filter((other) => other > name).sort()[0]
        list.insertBefore(row.item, rows.get(after)?.item ?? null)
      }
      row.button.style.setProperty("--part", number / whole)
      setText(row.number, format.count(number))
    }
    for (const [name, row] of rows) {
      if (name in numbers) continue
      row.item.remove()
      rows.delete(name)
    }
  }
}

// MARK: Charts

function makeChart(chart) {
  const title = element("h3", {}, chart.title)
  const now = element("p", { class: "now" })
  const paths = chart.lines.map((_, index) => shape("path", { class: `line line-${index}` }))
  const svg = shape(
    "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": chart.title },
    shape("path", { class: "ground", d: `M0 ${HEIGHT - 0.5}H${WIDTH}` }), ...paths,
  )
  const most = element("span", { class: "most" })
  const figure = element("figure", { id: `chart-${chart.id}` }, title, now, element("div", {}, svg, most))
  return { ...chart, figure, svg, paths, now, most }
}

function drawChart(chart, samples, now) {
  const start = now - CHART_MS
  const values = chart.lines.map((line) => samples.map((sample, index) => line.of(sample, samples[index - 1])))
  const most = Math.max(0, ...values.flat().filter((value) => value !== null))
  const scale = most > 0 ? most : 1
  chart.paths.forEach((path, index) => {
    path.setAttribute("d", line(samples, values[index], { start, now, scale, restsAtZero: chart.restsAtZero }))
  })
  const isSilent = samples.length === 0 || now - samples.at(-1).at > SILENCE_MS
  const last = values.map((list) => (chart.restsAtZero && isSilent ? 0 : (list.at(-1) ?? null)))
  const words = chart.lines.length === 1
    ? [last[0] === null ? "–" : chart.words(last[0])]
    : chart.lines.map(({ name }, index) => `${name} ${last[index] === null ? "–" : chart.words(last[index])}`)
  if (chart.now.childElementCount === 0) {
    chart.now.append(...words.map((_, index) => element("span", { class: `key-${index}` })))
  }
  words.forEach((text, index) => setText(chart.now.children[index], text))
  setText(chart.most, `maximum ${chart.words(most)}`)
  const told = `${chart.title}, last five minutes: now ${words.join(", ")}; maximum ${chart.words(most)}`
  chart.svg.setAttribute("aria-label", told)
}

/** A path through the values; it is broken, or lies on the ground, where no counters came. */
function line(samples, values, { start, now, scale, restsAtZero }) {
  const x = (at) => (((at - start) / CHART_MS) * WIDTH).toFixed(1)
  const y = (value) => (HEIGHT - 1 - (value / scale) * (HEIGHT - 3)).toFixed(1)
  let path = ""
  let before = null
  for (let index = 0; index < samples.length; index += 1) {
    const { at } = samples[index]
    const value = values[index]
    if (value === null) {
      before = null
      continue
    }
    const isGap = before === null || at - before > SILENCE_MS
    if (isGap && restsAtZero) {
      path += before === null ? "M" : `L${x(before + 1000)} ${y(0)}L`
      path += `${x(Math.max(at - 1000, start))} ${y(0)}`
    }
    path += `${isGap && !restsAtZero ? "M" : "L"}${x(at)} ${y(value)}`
    before = at
  }
  if (restsAtZero && before !== null && now - before > SILENCE_MS) path += `L${x(before + 1000)} ${y(0)}H${WIDTH}`
  return path
}

// MARK: Tallies

function makeTally(tally) {
  const list = element("ul")
  const section = element("section", { class: "tally" }, element("h3", {}, tally.title), list)
  return { ...tally, section, list, rows: new Map() }
}

function makeTallyRow(name, onclick) {
  const number = element("span", { class: "number" })
  const button = element(
    "button", { type: "button", title: `Show only ${name}`, onclick },
    element("span", {}, format.TAKES[name] ?? format.fault(name)), number,
  )
  return { item: element("li", {}, button), button, number }
}
