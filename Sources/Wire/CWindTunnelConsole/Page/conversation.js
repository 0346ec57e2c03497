// A conversation as two lanes: what the client said on the left, what the server said on the right.

import { element } from "./dom.js"
import * as format from "./format.js"

const TEXT_MAX = 2_000

/** @param unshown the reason why not all messages are there; null where they are */
export function conversation(messages, unshown) {
  const note = unshown && element("p", { class: "note" }, unshown)
  if (messages.length === 0) return [note || element("p", { class: "note" }, "No messages yet.")]
  return [
    element(
      "p", { class: "lanes-head", "aria-hidden": "true" },
      element("span", {}, "Client"), element("span", {}, "Server"),
    ),
    element("ol", { class: "lanes" }, ...messages.map(item)),
    note,
  ]
}

function item(message, index, messages) {
  const before = index > 0 ? messages[index - 1].at : null
  const pause = before === null ? "" : ` (+${format.duration(message.at - before)})`
  const isText = message.kind === "text" || message.kind === "event"
  const text = message.text.slice(0, TEXT_MAX) + (message.text.length > TEXT_MAX ? " …" : "")
  return element(
    "li", { "data-from": message.from, class: message.faults.length > 0 ? "broken" : null },
    element("time", {}, `${format.moment(message.at)}${pause}`),
    element(
      "div", {},
      element("span", { class: "hidden" }, `${message.from}: `),
      !isText && element("b", {}, `${message.kind} `),
      element("span", { class: "said" }, text),
      element("small", {}, ` ${format.size(message.bytes)}`),
      message.faults.length > 0 && element("em", {}, message.faults.join(" · ")),
    ),
  )
}
