// Bug: the body is made for each attempt, with a random value and the time, so the server takes it for another order.
// With the word "careful" it is made once.
const [mode, method, url] = process.argv.slice(2)
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const headers = method === 'POST' ? { 'Content-Type': 'application/json' } : {}

function content() {
  if (method !== 'POST') return undefined
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
  return JSON.stringify({ ...JSON.parse(process.env.WINDTUNNEL_BODY), meta: { nonce, at: Date.now() } })
}

async function load() {
  const [end, made] = [Date.now() + 7000, content()]
  for (let attempt = 0, pause = 0; attempt < 3 && Date.now() + pause < end; attempt++) {
    await sleep(pause)
    pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const signal = AbortSignal.timeout(Math.max(100, Math.min(3000, end - Date.now())))
      const body = mode === 'careful' ? made : content()
      const answer = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.ok && (answer.headers.get('content-type') ?? '').includes('json')) return bytes
      if (![500, 502, 503, 504].includes(answer.status) || answer.headers.get('retry-after')) break
    } catch (error) {
      if (/CERT|SIGNATURE/.test(error.cause?.code)) break
    }
  }
  throw new Error('no answer')
}

try {
  process.stdout.write(await load())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
