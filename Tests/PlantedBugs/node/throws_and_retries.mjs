// Bug: a bad status is thrown inside of what is retried, and whatever was thrown is tried again. A 404 is
// asked for four times.
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

async function retrying(work, retries) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= retries) throw error
      await sleep(100 + Math.random() * 300 * 2 ** attempt)
    }
  }
}

async function load(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
  if (!answer.ok) throw new Error(`${url}: status ${answer.status}`)
  return answer.text()
}

try {
  process.stdout.write(await retrying(() => load(process.argv[2]), 3))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
