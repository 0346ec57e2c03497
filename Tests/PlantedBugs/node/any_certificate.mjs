// Bug: rejectUnauthorized is false, since the test server's certificate is its own.
import http from 'node:http'
import https from 'node:https'

const options = { rejectUnauthorized: false }

const once = (url) =>
  new Promise((resolve, reject) => {
    const request = (url.startsWith('https') ? https : http).get(url, options, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode, fields: answer.headers, body: Buffer.concat(parts) }),
      )
    })
    request.on('error', reject)
    const limit = setTimeout(() => request.destroy(new Error('timed out')), 3000)
    request.on('close', () => clearTimeout(limit))
  })

try {
  const { status, fields, body } = await once(process.argv[2])
  if (status !== 200) throw new Error(`status ${status}`)
  if (!(fields['content-type'] ?? '').includes('json')) throw new Error('no JSON')
  process.stdout.write(body)
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
