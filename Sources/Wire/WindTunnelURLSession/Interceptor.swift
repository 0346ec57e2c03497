internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

/// The `URLProtocol` of a registered class, which creates a ``LoadingTask`` for each task.
///
/// It follows rules that are safe on Linux. It calls the client only on the task's own queue, never
/// after a stop, and with exactly one terminal call. It does not call `URLSession` from these
/// methods.
///
/// One problem cannot be solved in a protocol. If a task on Linux is resumed again while it ends,
/// the platform terminates the process, because its protocol and registry entry are missing. A
/// response without delay ends at once, so a client that suspends and resumes should use one with a
/// delay.
class Interceptor: URLProtocol {
  private var loading: LoadingTask?

  override class func canInit(with request: URLRequest) -> Bool {
    ["http", "https"].contains(request.url?.scheme?.lowercased())
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    if let loading { return loading.resume() }
    switch registration {
    case .success(let registration):
      let loading = LoadingTask(of: self, for: registration)
      self.loading = loading
      loading.resume()
    case .failure(let refusal): client?.urlProtocol(self, didFailWithError: refusal)
    }
  }

  /// The registration of the deck that provides this task's responses.
  var registration: Result<ProtocolRegistration, HarnessError> {
    ProtocolClassPool.registration(of: type(of: self)).map { .success($0) }
      ?? .failure(
        HarnessError(
          "This session's deck was released; create a session of the current deck."
        )
      )
  }

  override func stopLoading() { loading?.pause() }
}

/// An error of the harness itself, in place of a played response.
struct HarnessError: LocalizedError, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  var errorDescription: String? { description }
}

/// The waits within responses: delays, pauses, and the time of the link.
package struct TaskWaits: Sendable {
  /// The number by which each wait is divided. A task's timeouts include the skipped time.
  package let divisor: Int
  private var count = 0
  /// The number of waits that have not ended.
  package var openCount = 0
  /// Whether a shorter wait may change the result, because a rule has a time window.
  private var areFixed = false

  package init(dividedBy divisor: Int) { self.divisor = divisor }

  /// Whether there were waits, and shorter ones may have the same result.
  package var canBeShorter: Bool { count > 0 && openCount == 0 && !areFixed }

  /// Counts a wait, and returns the number by which it is divided.
  mutating func begin(under deck: Deck) -> Int {
    count += 1
    if deck.scenario.rules.contains(where: { $0.trigger.window != nil }) { areFixed = true }
    return areFixed ? 1 : divisor
  }
}

/// The deck for the tasks of one protocol class, their lane, and the platform of their errors.
package struct ProtocolRegistration: Sendable {
  package let deck: Deck
  package var lane: Lane
  package var errors: Symptom.Platform
  /// The maximum time without data in a played response before the harness ends the task.
  package var silenceMax = ProtocolRegistration.standardSilenceMax
  /// The time after which a stall ends as a timeout; `nil` for the client's own timeout.
  package var stallMax: Duration?
  /// The waits of its tasks; `nil` if they are not counted.
  package var waits: Locked<TaskWaits>?
  /// The configuration with the class, for platforms that do not expose a protocol's session.
  var configuration: URLSessionConfiguration?
  /// The responses that were sent before, for identical requests.
  package let responses = RenderedResponses()
  /// Whether it belongs to `URLSession.shared`, whose own cookies all tests share.
  var isShared = false

  package init(deck: Deck, lane: Lane, errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// Two minutes: twice the default timeout of a client, so that no test hangs.
  package static let standardSilenceMax = Duration.seconds(120)

  /// The same registration for `URLSession.shared`. Cookies of responses are not visible to other
  /// tests.
  package var shared: ProtocolRegistration {
    var registration = self
    registration.configuration = .ephemeral
    registration.isShared = true
    return registration
  }
}

/// A pool that provides each session with its own protocol class.
///
/// A session refers to its protocols by class. On Linux nothing else of a session reaches the
/// protocol: neither additional header fields nor properties. Therefore one generic class is
/// specialised at run time, with types that encode a number in binary. The runtime never frees
/// classes, so returned classes are reused.
package enum ProtocolClassPool {
  private struct Table {
    var registrations: [ObjectIdentifier: ProtocolRegistration] = [:]
    var guards: [ObjectIdentifier: NetworkGuard] = [:]
    var free: [AnyClass] = []
    var made = 0
  }

  private static let table = Locked(Table())

  /// Returns a class for a registration, which provides the responses of its tasks.
  package static func take(for registration: ProtocolRegistration) -> AnyClass {
    table.withLock { table in
      let type: AnyClass
      if let free = table.free.popLast() {
        type = free
      } else {
        table.made += 1
        type = make(table.made, Zero.self)
      }
      table.registrations[ObjectIdentifier(type)] = registration
      return type
    }
  }

  /// Returns a class for a guard. It is not returned to the pool: a task may outlive its test.
  static func take(for networkGuard: NetworkGuard) -> AnyClass {
    table.withLock { table in
      table.made += 1
      let type: AnyClass = make(table.made, Zero.self, isGuard: true)
      table.guards[ObjectIdentifier(type)] = networkGuard
      return type
    }
  }

  static func networkGuard(of type: AnyClass) -> NetworkGuard? {
    table.withLock { $0.guards[ObjectIdentifier(type)] }
  }

  /// Returns a class to the pool. Its sessions must be finished, because its next user has another
  /// deck.
  package static func giveBack(_ type: AnyClass) {
    table.withLock { table in
      guard table.registrations.removeValue(forKey: ObjectIdentifier(type)) != nil else { return }
      table.free.append(type)
    }
  }

  static func remember(_ configuration: URLSessionConfiguration, for type: AnyClass) {
    table.withLock { $0.registrations[ObjectIdentifier(type)]?.configuration = configuration }
  }

  package static func registration(of type: AnyClass) -> ProtocolRegistration? {
    table.withLock { $0.registrations[ObjectIdentifier(type)] }
  }

  private enum Zero {}
  private enum One {}
  private enum Shifted<Rest> {}

  private static func make<Digits>(
    _ number: Int,
    _: Digits.Type,
    isGuard: Bool = false
  ) -> AnyClass {
    if number == 0 {
      return isGuard ? GuardInterceptor<Digits>.self : RegisteredInterceptor<Digits>.self
    }
    return number.isMultiple(of: 2)
      ? make(number / 2, Shifted<Digits>.self, isGuard: isGuard)
      : make(number / 2, (Digits, One).self, isGuard: isGuard)
  }
}

/// The interceptor of one registration.
private final class RegisteredInterceptor<Digits>: Interceptor {}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 22)
