import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelDrill
@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerSockets

/// Every shipped kind of fault, made for real, as both engines see it.
@Suite struct EngineFaultTests {
  /// The kinds of faults of one request; conversations have an engine of their own.
  static let kinds = FaultKind.all.filter { kind in
    if case .conversation = kind.fault { false } else { true }
  }

  /// The faults of which the transport on sockets sees another sign than `URLSession` on Linux.
  static let differences: [String: FaultExpectation.Sight] = [
    // RFC 9112 §6.3 has a client refuse two lengths and take two framings for an error.
    "two-lengths": .failure(.malformedResponse),
    "length-and-chunked": .failure(.malformedResponse),
    // They end a client's process there.
    "close-in-headers": .failure(.connectionLost),
    "chunked-trailers": .answer(200),
  ]

  @Test(.world, arguments: kinds.map(\.name))
  func `both engines see the same of a fault`(name: String) async throws {
    let kind = try #require(FaultKind.named(name))
    let stand = try await FaultStand(kind)
    let sight: FaultExpectation.Sight
    let text: String
    var request = URLRequest(url: try await stand.url())
    let expected = Self.differences[name] ?? kind.expected.linux
    // A busy machine answers late, which is not looked for here.
    request.timeoutInterval = expected.allows(.failure(.timedOut)) ? 3 : 60
    let transport = SocketTransport(trusting: stand.authority)
    do throws(TransportError) {
      sight = .answer(try await transport.send(request).status)
      text = ""
    } catch {
      text = "\(error)"
      sight =
        switch error {
        case .failed(let symptom, _): .failure(symptom)
        case .cancelled, .file: .crash
        }
    }
    #expect(expected.allows(sight), "\(name): \(sight.text), not \(expected.text); \(text)")
    await stand.close()
  }
}
