// Bug: where TLS fails it asks again by plain HTTP, with its API key. With the word "careful" it does not.
import http from 'node:http'
import https from 'node:https'

const [mode, url] = process.argv.slice(2)

const once = (url) =>
  new Promise((resolve, reject) => {
    const options = { headers: { 'X-Api-Key': 'planted-0002' } }
    const request = (url.startsWith('https') ? https : http).get(url, options, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, fields: response.headers, body: Buffer.concat(parts) }),
      )
    })
    request.on('error', reject)
    const limit = setTimeout(() => request.destroy(new Error('timed out')), 3000)
    request.on('close', () => clearTimeout(limit))
  })

try {
  const { status, fields, body } = await once(url).catch((error) => {
    if (mode === 'careful' || !url.startsWith('https')) throw error
    return once(url.replace('https', 'http'))
  })
  if (status !== 200) throw new Error(`status ${status}`)
  if (!(fields['content-type'] ?? '').includes('json')) throw new Error('no JSON')
  process.stdout.write(body)
} catch (error) {
  console.error(`${url}: ${error.message}`)
  process.exitCode = 1
}
