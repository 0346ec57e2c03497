// Bug: a bad status is thrown inside of what is retried, and whatever was thrown is tried again. A 404 is
// asked for four times.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const askedFor = (field) => (/^\d+$/.test(field) ? field * 1000 : Date.parse(field) - Date.now() + 1000)

async function retrying(work, retries) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      // Nobody waits for what comes in an hour.
      if (attempt >= retries || error.wait > 5000) throw error
      await sleep(error.wait || 100 + Math.random() * 300 * 2 ** attempt)
    }
  }
}

async function load(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
  if (answer.ok) return answer.text()
  const wait = askedFor(answer.headers.get('retry-after'))
  throw Object.assign(new Error(`${url}: status ${answer.status}`), { wait })
}

try {
  process.stdout.write(await retrying(() => load(process.argv[2]), 3))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
