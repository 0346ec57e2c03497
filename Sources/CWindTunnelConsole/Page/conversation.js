// A conversation as two lanes: what the client said on the left, what the server said on the right.

import { element } from "./dom.js"
import * as format from "./format.js"

/** Messages that are shown at once; the others come by a click. */
const MESSAGES_MAX = 200
const TEXT_MAX = 2_000

/** @param further the number of messages behind these that are not kept */
export function conversation(messages, further) {
  if (messages.length === 0) return [element("p", { class: "note" }, "Nothing was said yet.")]
  const list = element("ol", { class: "lanes" }, ...messages.slice(0, MESSAGES_MAX).map(item))
  const rest = messages.slice(MESSAGES_MAX)
  const more = rest.length > 0 && element(
    "button",
    {
      type: "button",
      onclick: (event) => {
        event.target.remove()
        list.append(...rest.map((message, index) => item(message, index + MESSAGES_MAX, messages)))
      },
    },
    `Show ${format.several(rest.length, "more message")}`,
  )
  return [
    element(
      "p", { class: "lanes-head", "aria-hidden": "true" },
      element("span", {}, "Client"), element("span", {}, "Server"),
    ),
    list,
    more,
    further > 0 && element(
      "p", { class: "note" }, `${format.several(further, "further message")} not kept.`,
    ),
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
