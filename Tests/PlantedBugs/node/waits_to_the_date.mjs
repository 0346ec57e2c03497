// A careful client that waits exactly until the date of a Retry-After. Usage: waits_to_the_date.mjs URL.
const url = process.argv[2]
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const until = (field) => Date.parse(field) - Date.now()

async function load() {
  const end = Date.now() + 7000
  for (let attempt = 0, pause = 0; attempt < 4 && Date.now() + pause < end; attempt++) {
    await sleep(pause)
    pause = 100 + Math.random() * 300 * 2 ** attempt
    try {
      const signal = AbortSignal.timeout(Math.max(100, Math.min(3000, end - Date.now())))
      const answer = await fetch(url, { signal, redirect: 'manual' })
      const body = Buffer.from(await answer.arrayBuffer())
      if (answer.ok && (answer.headers.get('content-type') ?? '').includes('json')) return body
      if (![429, 502, 503, 504].includes(answer.status)) break
      const field = answer.headers.get('retry-after')
      if (field) pause = /^\d+$/.test(field) ? field * 1000 : Math.max(0, until(field))
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
