import Origins
import TestSupport
import WindTunnel

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// Starts on the wire.
@Suite struct StartupFlightTests {
  private static func page(_ head: String, _ body: Data) -> Data {
    answer("\(head)\nContent-Length: \(body.count)\nConnection: close", body)
  }

  @Test func `a start asks with what it found out, and the next does without the server`()
    async throws
  {
    let stand = try BootstrapStand()
    let origin = try ByteOrigin([
      BootstrapStand.path: Self.page("200 OK", try stand.configuration(7))
    ])
    let bootstrap = try stand.bootstrap(origin.url)
    let first = try await bootstrap.launch(by: BootstrapStand.transport())
    expectEqual(first.record.source, .fetched(version: 7))
    origin.stop()
    var least = Duration.seconds(60)
    // A busy machine makes some starts late, and no start early.
    for _ in 0..<200 where least >= .milliseconds(50) {
      let startup = try await bootstrap.launch(by: BootstrapStand.transport())
      expectEqual(startup.record.source, .lastGood(version: 7))
      expectEqual(startup.record.refusal, "unreachable")
      expectEqual(startup.configuration, first.configuration)
      least = min(least, startup.record.elapsed)
    }
    #expect(least < .milliseconds(50))
  }

  @Test func `the page of a network that wants a sign-in changes nothing, moved or not`()
    async throws
  {
    let stand = try BootstrapStand()
    _ = try await stand.launch(stand.configuration(7))
    let html = Data("<html>Welcome. Sign in to go on.</html>".utf8)
    for head in ["200 OK\nContent-Type: text/html", "302 Found\nLocation: /welcome"] {
      let origin = try ByteOrigin([
        BootstrapStand.path: Self.page(head, html), "/welcome": Self.page("200 OK", html),
      ])
      let startup = try await stand.bootstrap(origin.url).launch(by: BootstrapStand.transport())
      expectEqual(startup.record.source, .lastGood(version: 7))
      expectEqual(startup.record.refusal, "unsigned")
      origin.stop()
    }
  }

  @Test func `a server that never ends is waited for no longer than the budget`() async throws {
    let stand = try BootstrapStand()
    _ = try await stand.launch(stand.configuration(7))
    for piece in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
      let origin = try StubbornOrigin(Data(piece.utf8), .stays)
      let startup = try await stand.bootstrap(
        "http://127.0.0.1:\(origin.port)",
        budget: .milliseconds(100)
      ).launch(by: BootstrapStand.transport())
      expectEqual(startup.record.source, .lastGood(version: 7))
      expectEqual(startup.record.refusal, "late")
      #expect(startup.record.elapsed >= .milliseconds(100))
      origin.stop()
    }
    #expect(stand.observer.startupEvents.contains(.fetchRefused(.late(.milliseconds(100)))))
  }

  @Test func `a start with no budget asks nobody, and a refresh does`() async throws {
    let stand = try BootstrapStand()
    let origin = try ByteOrigin([
      BootstrapStand.path: Self.page("200 OK", try stand.configuration(7))
    ])
    let bootstrap = try stand.bootstrap(origin.url, budget: .zero)
    let first = try await bootstrap.launch(by: BootstrapStand.transport())
    expectEqual(first.record.source, .builtIn)
    expectNil(first.record.fetch)
    let second = try await bootstrap.refresh(by: BootstrapStand.transport())
    expectEqual(second.record.source, .fetched(version: 7))
    origin.stop()
  }
}
