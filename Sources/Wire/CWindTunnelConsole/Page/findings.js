// Findings as they come; each leads to the rows that show it.

import { byId, element } from "./dom.js"
import * as format from "./format.js"

export class Findings {
  #store
  #onShow
  #list = byId("findings").querySelector("ul")
  #none = byId("findings").querySelector(".none")

  /** `onShow(finding)` is told when its rows are asked for. */
  constructor(store, onShow) {
    this.#store = store
    this.#onShow = onShow
    store.subscribe((kind) => {
      if (kind === "all" || kind === "findings") this.#show()
    })
  }

  #show() {
    const findings = this.#store.findings
    this.#none.hidden = findings.length > 0
    // The newest is the first that is read.
    this.#list.replaceChildren(...findings.toReversed().map((finding) => this.#item(finding)))
    const tab = byId("views").querySelector("[data-to=findings]")
    tab.textContent = findings.length > 0 ? `Findings (${findings.length})` : "Findings"
  }

  #item(finding) {
    return element(
      "li", { "data-severity": finding.severity },
      element("h3", {}, element("span", { class: "severity" }, finding.severity), " ", finding.title),
      element("p", {}, finding.text),
      // The verdict belongs to no segment.
      finding.segment && element("p", { class: "note" }, `${finding.rule}, segment ${finding.segment} `),
      finding.rows.length > 0 && element(
        "button", { type: "button", onclick: () => this.#onShow(finding) },
        `Show ${format.several(finding.rows.length, "exchange")}`,
      ),
    )
  }
}
