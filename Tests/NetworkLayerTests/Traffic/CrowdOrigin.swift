import Origins
import TestSupport
import WindTunnelNetworkLayer

/// A live server that fails every other request and counts what is open and unanswered, over all of
/// its kind that share a count. It blocks on a thread for each connection, of which it takes 64.
final class CrowdOrigin: @unchecked Sendable {
  static let connectionsMax = 64

  /// What several origins saw together.
  final class Count: @unchecked Sendable {
    private let lock = NSCondition()
    private(set) var now = 0
    private(set) var most = 0
    private(set) var closed = 0
    private var isShut = true
    private var paths: [String] = []
    private var answers = 0

    /// What was asked for, in the order in which it came.
    var arrivals: [String] { lock.withLock { paths } }
    var unanswered: Int { lock.withLock { now } }
    var mostUnanswered: Int { lock.withLock { most } }

    /// Lets answers out from now on.
    func open() { lock.withLock { isShut = false } }

    func arrive(_ path: String) {
      lock.withLock {
        paths.append(path)
        now += 1
        most = max(most, now)
      }
    }

    func leave() { lock.withLock { now -= 1 } }
    var mayAnswer: Bool { lock.withLock { !isShut } }

    /// Every other answer of all is bad.
    func nextIsBad() -> Bool {
      lock.withLock {
        answers += 1
        return answers.isMultiple(of: 2)
      }
    }
  }

  private let listening: LoopbackPort
  private let count: Count
  private let slots = DispatchSemaphore(value: CrowdOrigin.connectionsMax)
  var port: Int { listening.number }

  init(_ count: Count) throws {
    self.count = count
    listening = try LoopbackPort()
    listening.accepting { [self] client in
      slots.wait()
      Thread.detachNewThread { [self] in
        serve(client)
        slots.signal()
      }
    }
  }

  func stop() { listening.close() }

  private func serve(_ client: Int32) {
    defer { close(client) }
    while let path = request(client) {
      count.arrive(path)
      // Until it may be answered, or its asker has gone.
      while !count.mayAnswer {
        if isGone(client, waiting: 5) {
          count.leave()
          return
        }
      }
      let isBad = count.nextIsBad()
      let status = isBad ? "503 Service Unavailable" : "200 OK"
      let answer = Data("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nok".utf8)
      // Before the bytes go: whoever reads them may send the next at once.
      count.leave()
      guard LoopbackPort.deliver(answer, to: client) else { return }
    }
  }

  private func request(_ client: Int32) -> String? {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !text.hasSuffix("\r\n\r\n") {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text.split(separator: " ").dropFirst().first.map(String.init)
  }

  private func isGone(_ client: Int32, waiting milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(client, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}

/// A crowd's clients, one an origin, on one session.
struct Crowd {
  let session: URLSession
  let origins: [CrowdOrigin]

  init(_ count: CrowdOrigin.Count) throws {
    origins = [try CrowdOrigin(count), try CrowdOrigin(count)]
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  func stop() { for origin in origins { origin.stop() } }

  func clients(
    _ transport: (any Transport)?,
    _ admission: AdmissionController?,
    _ observers: [any Observer] = [SilentObserver(), SilentObserver()],
    deadline: Duration? = nil,
    time: any TimeSource = SystemTime()
  ) throws -> [NetworkClient] {
    let transport = try #require(transport)
    return try zip(origins, observers).map { origin, observer in
      NetworkClient(
        builder: RequestBuilder(
          baseURL: try #require(URL(string: "http://127.0.0.1:\(origin.port)"))
        ),
        policy: RetryPolicy(backoff: Backoff(base: .milliseconds(1), jitter: .none)),
        transport: transport,
        observer: observer,
        // However long the machine takes.
        limits: CallLimits(attemptTimeout: .seconds(3600), deadline: deadline),
        admission: admission,
        time: time
      )
    }
  }
}
