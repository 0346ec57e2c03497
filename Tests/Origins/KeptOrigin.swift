public import Foundation

/// A live server that knows nothing of the project: it is told what to do for each request of each
/// connection, remembers what it was sent, and keeps connections until it is told otherwise.
public final class KeptOrigin: @unchecked Sendable {
  /// A step of an answer.
  public enum Step: Sendable {
    /// Sends these bytes to the client.
    case send(Data)
    /// The connection ends by a FIN; what its client still sends is read.
    case close
    /// The connection ends by a RST.
    case reset
    /// Nothing more is said, and the connection stays.
    case silence
    /// The thread waits for a signal.
    case await(DispatchSemaphore)
  }

  /// A request as it came.
  public struct Asked: Sendable, Hashable {
    /// The number of its connection, from 1.
    public var connection: Int
    /// The head, without the empty line.
    public var head: String
    /// The content of the request.
    public var body = Data()

    /// Makes one of its parts.
    public init(connection: Int, head: String, body: Data = Data()) {
      (self.connection, self.head, self.body) = (connection, head, body)
    }

    /// The request line without the protocol.
    public var line: String {
      head.components(separatedBy: "\r\n")[0].replacingOccurrences(of: " HTTP/1.1", with: "")
    }
  }

  private let listening: LoopbackPort
  private let lock = NSLock()
  private var requests: [Asked] = []
  private var opened = 0
  private var open = 0
  private var most = 0
  private var ended = 0
  private var finished = 0

  /// The address without a path.
  public var url: String { "http://127.0.0.1:\(listening.number)" }
  /// The requests so far, in the order in which they were whole.
  public var asked: [Asked] { lock.withLock { requests } }
  /// The count of connections so far.
  public var connections: Int { lock.withLock { opened } }
  /// The most connections that were open at once.
  public var mostOpen: Int { lock.withLock { most } }
  /// The count of connections that their client has ended.
  public var left: Int { lock.withLock { ended } }

  /// The count of connections of which it has said the last.
  public var shut: Int { lock.withLock { finished } }

  /// Begins to listen; `answer` tells the steps for a request.
  public init(_ answer: @escaping @Sendable (Asked) -> [Step]) throws {
    listening = try LoopbackPort()
    listening.accepting { [self] client in
      let number = lock.withLock {
        opened += 1
        open += 1
        most = max(most, open)
        return opened
      }
      Thread.detachNewThread { [self] in
        serve(client, number, answer)
        lock.withLock { open -= 1 }
        _ = Self.closed(client)
      }
    }
  }

  private static func closed(_ client: Int32) -> Int32 { close(client) }

  /// Closes the port; whoever asks after that is refused.
  public func stop() { listening.close() }

  private func serve(_ client: Int32, _ number: Int, _ answer: (Asked) -> [Step]) {
    var input = Data()
    while let asked = next(client, number, &input) {
      lock.withLock { requests.append(asked) }
      for step in answer(asked) {
        switch step {
        case .send(let data): guard LoopbackPort.deliver(data, to: client) else { return }
        case .close:
          shutdown(client, Int32(SHUT_WR))
          lock.withLock { finished += 1 }
          return drain(client)
        case .reset:
          var now = linger(l_onoff: 1, l_linger: 0)
          setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
          return
        case .silence: return drain(client)
        case .await(let signal): signal.wait()
        }
      }
    }
  }

  /// Reads until the client ends.
  private func drain(_ client: Int32) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while recv(client, &buffer, buffer.count, 0) > 0 {}
    lock.withLock { ended += 1 }
  }

  private func next(_ client: Int32, _ number: Int, _ input: inout Data) -> Asked? {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if let end = input.range(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
        let length = head.lowercased().components(separatedBy: "\r\n")
          .first { $0.hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        if input.endIndex - end.upperBound >= length ?? 0 {
          let rest = input[end.upperBound...]
          let body = Data(rest.prefix(length ?? 0))
          input = Data(rest.dropFirst(body.count))
          return Asked(connection: number, head: head, body: body)
        }
      }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else {
        lock.withLock { ended += 1 }
        return nil
      }
      input.append(contentsOf: buffer[..<count])
    }
  }
}
