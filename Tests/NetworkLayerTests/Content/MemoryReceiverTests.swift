import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// The limit of content that is kept in memory.
@Suite struct MemoryReceiverTests {
  @Test func `an answer of a byte more than is kept in memory is given up`() async throws {
    let given = Locked(0)
    func answer(_ count: Int) -> StreamedResponse {
      StreamedResponse(
        status: 200,
        headers: [:],
        pieces: AsyncThrowingStream { stream in
          for _ in 0..<count { stream.yield(Data("abc".utf8)) }
          stream.finish()
        },
        cancel: { given.withLock { $0 += 1 } }
      )
    }
    let receiver = MemoryReceiver(progress: nil, bytesMax: 6)
    try await expectEqual(receiver.take(answer(2)).body, Data("abcabc".utf8))
    expectEqual(given.withLock { $0 }, 0)
    let error = await #expect(throws: TransportError.self) { try await receiver.take(answer(3)) }
    expectEqual(
      error,
      .failed(
        .undecodableBody,
        text: "The content is larger than 6 bytes, the maximum in memory. Download it."
      )
    )
    expectEqual(given.withLock { $0 }, 1, "its server is told")
  }
}
