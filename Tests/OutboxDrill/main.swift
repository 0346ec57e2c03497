// An app with an outbox, and with background transfers, as the tests start and kill it.
//
//     outbox-drill send FOLDER URL FIRST COUNT RUN   enqueues calls FIRST ..< COUNT and sends all
//     outbox-drill fill FOLDER COUNT                 enqueues calls, and tells its memory
//     outbox-drill count FOLDER                      opens, and tells the calls and its memory
//     outbox-drill until-full FOLDER                 enqueues until that fails, and tells why
//     outbox-drill transfers FOLDER URL [download LABEL | upload LABEL FILE]
//                                                    takes up transfers, begins one, and takes all
//     outbox-drill network                           tells the status of the machine's network
//     outbox-drill networks                          tells it and each change
//
// What it prints is on its way before it goes on: a line is a promise that it has made.
import Foundation
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let words = Array(CommandLine.arguments.dropFirst())
let folder = URL(filePath: words.dropFirst().first ?? "outbox")

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// The memory that is this process's own, in kB, as proc(5) tells it.
func memory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
  return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
}

func number(_ place: Int) -> Int { words.count > place ? Int(words[place]) ?? 0 : 0 }

let first = OutboxEndpoint(Endpoint(.post, "/first"), mostCalls: 25)
let second = OutboxEndpoint(Endpoint(.post, "/second"), mostCalls: 10)

do {
  switch words.first {
  case "send":
    let (deliveries, delivery) = AsyncStream.makeStream(of: Void.self)
    let outbox = try Outbox(
      at: folder,
      endpoints: [first, second],
      limits: OutboxLimits(backoff: Backoff(base: .milliseconds(10), cap: .milliseconds(50)))
    ) { event in
      if case .cutOff = event { say("cut") }
      if case .delivered = event { delivery.yield() }
    }
    guard let url = URL(string: words[2]) else { exit(2) }
    let client = NetworkClient(
      baseURL: url,
      session: URLSession(configuration: .ephemeral),
      admission: AdmissionController(AdmissionController.Rules(breaker: nil))
    )
    let run = number(5)
    let sending = Task { await outbox.send(by: client) }
    for index in number(3)..<number(4) {
      let endpoint = index.isMultiple(of: 3) ? second : first
      let body = #"{"call":\#(index),"run":\#(run)}"#
      try await outbox.enqueue(Data(body.utf8), to: endpoint)
      say("\(index) \(body)")
    }
    if outbox.count > 0 { for await _ in deliveries where outbox.count == 0 { break } }
    sending.cancel()
    await sending.value
    say("done")
  case "fill":
    let outbox = try Outbox(at: folder, endpoints: [first])
    let body = Data(#"{"screen":"home","event":"shown","at":1700000000}"#.utf8)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          for _ in 0..<number(2) / 100 {
            do { try await outbox.enqueue(body, to: first) } catch { say("\(error)") }
          }
        }
      }
    }
    say("\(outbox.count) \(memory())")
  case "count":
    let outbox = try Outbox(at: folder, endpoints: [first])
    say("\(outbox.count) \(memory())")
  case "until-full":
    let outbox = try Outbox(at: folder, endpoints: [first])
    var taken = outbox.count
    while true {
      let body = "\(taken) " + String(repeating: "x", count: 1000)
      do { try await outbox.enqueue(Data(body.utf8), to: first) } catch {
        say("\(taken) \(error)")
        break
      }
      taken += 1
    }
    if words.count > 2, let url = URL(string: words[2]) {
      let client = NetworkClient(baseURL: url, session: URLSession(configuration: .ephemeral))
      await outbox.send(by: client, until: .empty)
      say("\(outbox.count) left")
      try await outbox.enqueue(Data("after".utf8), to: first)
      say("taken")
    }
  case "transfers":
    guard let url = URL(string: words[2]) else { exit(2) }
    let session = URLSession(configuration: .ephemeral)
    let carrier = InProcessCarrier(URLSessionTransport(session: session))
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let transfers = try BackgroundTransfers(
      at: folder,
      by: carrier,
      builder: RequestBuilder(baseURL: url)
    ) { event in
      switch event {
      case .begunAnew(let transfer): say("anew \(transfer.label) \(transfer.starts)")
      case .ended: end.yield()
      default: say("\(event)")
      }
    }
    let running = Task { await carrier.run() }
    try await transfers.takeUp()
    switch words.dropFirst(3).first {
    case "download":
      say("begun \(try transfers.download(Endpoint(.get, "/film"), label: words[4]).id)")
    case "upload":
      let photo = Endpoint(.post, "/photos", body: .file(URL(filePath: words[5])))
      say("begun \(try transfers.upload(photo, label: words[4]).id)")
    default: break
    }
    while transfers.all.contains(where: { $0.result == nil }) { for await _ in ends { break } }
    for transfer in transfers.all {
      let answer = try transfers.take(transfer.id, to: folder.appending(path: transfer.label)).get()
      let bytes = transfer.record.response.bytes
      say("\(transfer.label) \(answer.status) \(bytes) attempts \(answer.attempts)")
    }
    running.cancel()
    await running.value
    say("done")
  case "network": say(SystemNetworks().status == .offline ? "offline" : "online")
  case "networks":
    for await status in SystemNetworks.often.changes {
      say(status == .offline ? "offline" : "online")
    }
  default: exit(2)
  }
} catch {
  say("\(error)")
  exit(1)
}
