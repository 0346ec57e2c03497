// A client that lives, and repeats a GET after the seconds in Retry-After. A date there throws; with the word
// careful it is read.
import readline from 'node:readline'

const isCareful = process.argv.includes('careful')
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

function asked(field) {
  if (/^\d+$/.test(field)) return Number(field) * 1000
  if (isCareful) return Math.max(0, Date.parse(field) - Date.now()) + 200
  throw new RangeError(`no number: ${field}`)
}

async function load({ url, method, headers, body }) {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(4000) })
    const text = await answer.text()
    if (answer.ok) return text
    const field = answer.headers.get('retry-after')
    const isOver = method !== 'GET' || attempt === 2 || ![429, 503].includes(answer.status) || !field
    const wait = isOver ? 0 : asked(field)
    if (isOver || wait > 5000) throw new Error(`status ${answer.status}`)
    await sleep(wait)
  }
}

for await (const text of readline.createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (!line.url) continue
  load(line).then(
    (shown) => console.log(JSON.stringify({ call: line.call, ok: true, shown })),
    (error) => console.log(JSON.stringify({ call: line.call, ok: false, error: error.message }))
  )
}
process.exit(0)
