// The filter's language. Words must all hold; a word is a text of the row, or KEY:VALUE:
//
//   method:POST   status:503   status:5xx   fault:reset   source:unmatched   segment:2
//   client:192.168.1.4   call:3   id:7,8   is:broken   is:open   is:conversation
//
// "-" before a word turns it round, and "quotes" hold words together.

import { isBroken, isOpen } from "./format.js"

const has = (text, value) => String(text ?? "").toLowerCase().includes(value)
const equals = (text, value) => String(text ?? "").toLowerCase() === value

const IS = {
  broken: isBroken,
  open: isOpen,
  conversation: (row) => row.conversation,
}

// A key's test by its value, made once and not for each row.
const KEYS = {
  method: (value) => (row) => equals(row.method, value),
  status: (value) => (row) => row.status !== null && isStatus(String(row.status), value),
  fault: (value) => (row) => row.faults.some((fault) => has(fault, value)),
  source: (value) => (row) => equals(row.source, value),
  segment: (value) => (row) => equals(row.segment, value),
  client: (value) => (row) => equals(row.client, value),
  call: (value) => (row) => equals(row.call, value),
  id: (value) => {
    const ids = new Set(value.split(",").map(Number))
    return (row) => ids.has(row.id)
  },
  is: (value) => IS[value],
}

function isStatus(status, value) {
  return status.length === value.length
    && [...value].every((letter, index) => letter === "x" || letter === status[index])
}

/** The words of a filter: `{ key, value, isTurned, text }`, where key is null for plain texts. */
function words(text) {
  return [...text.matchAll(/(-?)(?:([a-z]+):)?("[^"]*"?|\S+)/gi)].map((match) => ({
    text: match[0],
    isTurned: match[1] === "-",
    key: match[2]?.toLowerCase() ?? null,
    value: match[3].replaceAll('"', "").toLowerCase(),
  }))
}

/** The text of a row in which plain words are looked for. */
export function searchText(row) {
  return [
    row.method, row.url, row.status, row.source, ...row.faults, ...row.notDone, row.ending, row.client,
  ].filter((part) => part !== null).join(" ").toLowerCase()
}

/**
 * A filter as a test of entries (`{ row, text }` of the store), or null where everything passes.
 * A word that cannot be understood is said in `problem`, and is looked for as a plain text.
 */
export function parse(text) {
  const tests = []
  let problem = null
  for (const word of words(text)) {
    let test = KEYS[word.key]?.(word.value)
    if (word.key === "is" && !test) {
      problem = `“is:${word.value}” is not one of ${Object.keys(IS).map((name) => `is:${name}`).join(", ")}.`
    }
    if (!test) {
      const plain = word.text.replace(/^-/, "").replaceAll('"', "").toLowerCase()
      if (plain === "") continue
      tests.push((entry) => entry.text.includes(plain) !== word.isTurned)
    } else {
      tests.push((entry) => Boolean(test(entry.row)) !== word.isTurned)
    }
  }
  return {
    problem,
    test: tests.length === 0 ? null : (entry) => tests.every((test) => test(entry)),
  }
}

/** The value of a key in a filter, or "". */
export function term(text, key) {
  return words(text).find((word) => word.key === key && !word.isTurned)?.value ?? ""
}

/** A filter with another value for a key; "" takes the key out. */
export function withTerm(text, key, value) {
  const others = words(text).filter((word) => word.key !== key || word.isTurned)
  const quoted = /\s/.test(value) ? `"${value}"` : value
  return [...others.map((word) => word.text), ...(value === "" ? [] : [`${key}:${quoted}`])].join(" ")
}
