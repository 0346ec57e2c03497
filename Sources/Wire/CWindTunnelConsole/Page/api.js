// The requests that the page makes. Each ends with an answer or with an error that is one sentence.

async function ask(method, path, body) {
  let response
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch {
    throw new Error("The tool cannot be reached; it may have ended.")
  }
  if (response.ok) return response
  const told = await response.json().catch(() => null)
  const error = new Error(told?.error ?? `${method} ${path} returned ${response.status}.`)
  error.status = response.status
  throw error
}

const json = async (...request) => (await ask(...request)).json()

export const api = {
  exchange: (id) => json("GET", `/exchanges/${id}`),
  exchangesAfter: (id, limit) => json("GET", `/exchanges?limit=${limit}&since=${id}`),
  setScenario: (name) => json("PUT", "/scenario", { name }),
  setLink: (numbers) => json("PUT", "/link", numbers),
  addRule: (id, fault) => json("POST", "/rules", { id, fault }),
  removeRule: (number, segment) => json("DELETE", `/rules/${number}?segment=${segment}`),
  again: (id) => json("POST", `/exchanges/${id}/again`, {}),
  /** The cassette's document, byte for byte as it is to be saved. */
  cassette: async (ids) => (await ask("POST", "/cassettes", { ids })).blob(),
}
