// Shows the page that it is asked for together with the other one. Bugs, by its first word: "parts" leaves out what
// failed; "dates" takes a Retry-After that is no number for an error. "careful" has none.
const [mode, url] = process.argv.slice(2)

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

const wait = (response, attempt) => {
  const value = response?.headers.get('retry-after')
  if (!value) return (100 + 300 * Math.random()) * 2 ** attempt
  if (/^[0-9]+$/.test(value)) return 1000 * Number(value)
  if (mode === 'dates') throw new Error(`Retry-After is ${value}`)
  return Math.max(0, Date.parse(value) - Date.now()) + 100
}

const ask = async (url) => {
  let problem
  for (let attempt = 0; attempt < 3; attempt++) {
    let response
    try {
      response = await fetch(url, { signal: AbortSignal.timeout(2000) })
      if (response.ok && (response.headers.get('content-type') ?? '').includes('json')) {
        return await response.json()
      }
      problem = `status ${response.status}`
      if (![429, 502, 503, 504].includes(response.status)) break
    } catch (error) {
      problem = error.message
    }
    if (attempt < 2) await pause(wait(response, attempt))
  }
  throw new Error(`${url}: ${problem}`)
}

const part = async (url) => {
  try {
    return await ask(url)
  } catch (error) {
    if (mode !== 'parts') throw error
    return {}
  }
}

setTimeout(() => {
  console.error(`${url}: timed out`)
  process.exit(1)
}, 10000).unref()

try {
  const whole = { page: await ask(url) }
  if (mode !== 'dates') {
    const path = url.includes('recommendations') ? 'home' : 'recommendations?user=7'
    whole.more = await part(new URL(path, url).href)
  }
  console.log(JSON.stringify(whole))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
