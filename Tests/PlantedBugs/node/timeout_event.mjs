// Bug: a time-out of http.get is only an event. The promise is rejected and the message printed, but nobody
// destroys the request, so its connection keeps the process alive as long as the server says nothing.
import http from 'node:http'

const load = (url) =>
  new Promise((resolve, reject) => {
    const request = http.get(url, { timeout: 1000 }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(parts))
        else reject(new Error(`status ${answer.statusCode}`))
      })
    })
    request.on('error', reject)
    request.on('timeout', () => reject(new Error('timed out')))
  })

try {
  process.stdout.write(await load(process.argv[2]))
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`)
  process.exitCode = 1
}
