// Bug: one function retries for every request of the program, and does not ask which method it has. A payment
// that the server made, and then answered with a 500, is made again.
const [method, url] = process.argv.slice(2)
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const askedFor = (field) => (/^\d+$/.test(field) ? field * 1000 : Date.parse(field) - Date.now() + 1000)

async function request(url, options) {
  const end = Date.now() + 8000
  let problem
  for (let attempt = 0; attempt < 4; attempt++) {
    let pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(3000) })
      const body = Buffer.from(await answer.arrayBuffer())
      if (answer.ok) return body
      problem = new Error(`status ${answer.status}`)
      if (![429, 500, 502, 503, 504].includes(answer.status)) break
      pause = askedFor(answer.headers.get('retry-after')) || pause
    } catch (error) {
      problem = error.cause ?? error
    }
    if (attempt === 3 || Date.now() + pause > end) break
    await sleep(pause)
  }
  throw problem
}

const options = { method, headers: { 'Content-Type': 'application/json' } }
if (method !== 'GET' && method !== 'HEAD') options.body = process.env.WINDTUNNEL_BODY
try {
  process.stdout.write(await request(url, options))
} catch (error) {
  console.error(`${url}: ${error.message}`)
  process.exitCode = 1
}
