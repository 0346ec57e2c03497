import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// A connection that was plain at first, as one to a proxy is.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSTakeOverTests {
  @Test(arguments: [false, true])
  func `after its answer to a CONNECT a connection is served by TLS`(isEarly: Bool) async throws {
    let loop = try EventLoop.ofTheTest()
    let tls = try TLSKit.server()
    let deck = Deck([.get("https://api.example.test/n") { .text(Body("\($0.url)")) }])
    let proxy = try await loop.run { reactor in
      let context = PortContext(
        deck: deck,
        owner: .fixed(.deck),
        options: ReplayServer.Options.patient,
        port: 0
      )
      let live = LiveConnections(ConnectionLimit())
      return try Listener(on: reactor) { socket in
        let script = Script()
        var asked: [UInt8] = []
        script.received = { channel, bytes in
          asked += bytes
          guard let end = asked.firstIndex(of: UInt8(ascii: "\n")) else { return }
          channel.write(Array("200\n".utf8))
          let early = Array(asked[(end + 1)...])
          let host = HostName("api.example.test")
          do throws(ServerError) {
            try ServedConnection.takeOver(
              channel,
              as: host,
              by: tls,
              early: early,
              in: context,
              live,
              ReplayHandler(context: context)
            )
          } catch { Issue.record(error) }
        }
        // A client that has gone already gets nothing, and its test sees that.
        _ = try? Channel(socket, on: reactor, delegate: script)
      }.address
    }

    let heard = Events<String>()
    let trusting = try TLSKit.client()
    try await loop.run { reactor in
      let engine = try TLSEngine(trusting, host: HostName("api.example.test"))
      let (plain, secret) = (Script(), Script())
      var text = ""
      secret.received = { _, bytes in text += String(decoding: bytes, as: UTF8.self) }
      secret.ended = { $0.close() }
      secret.closed = { _ in heard(text) }
      plain.connected = { channel in
        channel.write(Array("CONNECT\n".utf8))
        guard isEarly else { return }
        engine.start()
        engine.drainOutput { channel.write($0) }
      }
      plain.received = { channel, bytes in
        #expect(bytes.starts(with: Array("200\n".utf8)))
        channel.delegate = secret
        channel.startTLS(engine, early: Array(bytes.dropFirst(4)))
        channel.write(Array(closing("GET /n", host: "api.example.test").utf8))
      }
      _ = try Channel(connectingTo: proxy, on: reactor, delegate: plain)
    }
    let answer = try await heard.next()
    expectEqual(answer.statusLine, "HTTP/1.1 200 OK")
    expectEqual(answer.content, "https://api.example.test/n")
  }
}
