import TestSupport

@testable import WindTunnelWire

/// A client that blocks, on a thread of its own, and sees what a library would hide: whether the
/// end was a FIN or a reset, and every byte before it.
struct RawClient: Sendable {
  enum End: Hashable { case finished, reset, failed(Int32) }

  let socket: Socket

  init(_ address: SocketAddress, from host: String? = nil) throws {
    if let host {
      let own = try #require(SocketAddress(host, port: 0))
      socket = try Socket.bound(to: own)
      let code = address.withSystem { connect(socket.descriptor, $0, $1) }
      try #require(code == 0 || errno == EINPROGRESS)
    } else {
      socket = try Socket.connecting(to: address)
    }
    // From here on calls wait; the first waits for the connection, too.
    let flags = fcntl(socket.descriptor, F_GETFL)
    _ = fcntl(socket.descriptor, F_SETFL, flags & ~O_NONBLOCK)
  }

  /// Sends everything; false if the peer would not have it.
  @discardableResult
  func send(_ bytes: [UInt8]) async -> Bool {
    await blocking {
      var sent = 0
      while sent < bytes.count {
        let result = bytes.withUnsafeBytes {
          socket.write(UnsafeRawBufferPointer(rebasing: $0[sent...]))
        }
        guard case .bytes(let count) = result else { return false }
        sent += count
      }
      return true
    }
  }

  @discardableResult
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  /// Receives at least so many bytes, fewer only where the connection ends before.
  func receive(atLeast count: Int) async -> [UInt8] {
    await blocking { receive { $0.count >= count }.0 }
  }

  /// Receives until a text has come so often, or the connection ends.
  func receive(until text: String, times: Int = 1) async -> String {
    await blocking {
      let bytes = receive { String(decoding: $0, as: UTF8.self).count(of: text) >= times }.0
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Receives until the connection ends.
  func receiveAll() async -> ([UInt8], End) {
    await blocking {
      let (bytes, end) = receive { _ in false }
      return (bytes, end ?? .failed(0))
    }
  }

  /// Receives until the connection ends, and closes it.
  func finish() async -> ([UInt8], End) {
    defer { close() }
    return await receiveAll()
  }

  /// Sends a text, receives until the connection ends, and closes it.
  func all(after text: String) async -> ([UInt8], End) { await all(after: Array(text.utf8)) }

  /// Sends bytes, receives until the connection ends, and closes it.
  func all(after bytes: [UInt8]) async -> ([UInt8], End) {
    await send(bytes)
    return await finish()
  }

  func close() { socket.close() }

  private func receive(until isEnough: ([UInt8]) -> Bool) -> ([UInt8], End?) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !isEnough(bytes) {
      let transfer = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
      switch transfer {
      case .bytes(let count): bytes.append(contentsOf: buffer[..<count])
      case .end: return (bytes, .finished)
      case .wouldBlock: return (bytes, .failed(EAGAIN))
      case .failed(let error):
        return (bytes, error.code == ECONNRESET ? .reset : .failed(error.code))
      }
    }
    return (bytes, nil)
  }
}

/// Runs what blocks where it holds nobody up.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

/// Collects what happens on another thread, for a test to wait for.
struct Events<Element: Sendable>: Sendable {
  let stream: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func callAsFunction(_ element: Element) { continuation.yield(element) }

  /// The first so many.
  func first(_ count: Int) async -> [Element] {
    var elements: [Element] = []
    for await element in stream {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }

  func next() async throws -> Element { try #require(await first(1).first) }
}
