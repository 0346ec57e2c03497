internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The `URLProtocol` of a registered class: turns a task's life into that of a ``LoadingTask``.
///
/// It keeps to what is safe on Linux: the client is called on the task's own queue only, nothing
/// after a stop, one terminal call, and no call into `URLSession` from within these methods.
///
/// One thing no protocol can mend: on Linux a task that is resumed once more while it ends finds
/// its protocol gone and its entry, too, and the platform ends the process. An answer without a
/// delay is there at once, so a client that suspends and resumes wants one with a delay.
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

  /// The registration of the deck that answers this task.
  var registration: Result<ProtocolRegistration, HarnessError> {
    ProtocolClassPool.registration(of: type(of: self)).map { .success($0) }
      ?? .failure(
        HarnessError(
          "This session's deck was given back; make a session of the deck that plays now."
        )
      )
  }

  override func stopLoading() { loading?.pause() }
}

/// Something the harness has to say instead of playing.
struct HarnessError: LocalizedError, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
  var errorDescription: String? { description }
}

/// The deck that answers the tasks of one protocol class, with the lane they are in and the
/// platform of the errors they see.
package struct ProtocolRegistration: Sendable {
  package let deck: Deck
  package var lane: Lane
  package var errors: Symptom.Platform
  /// The time that an answer that is played may be silent before the harness ends the task by
  /// itself.
  package var silenceMax = ProtocolRegistration.standardSilenceMax
  /// The time after which a stall ends as a timeout; `nil` for the client's own timeout.
  package var stallMax: Duration?
  /// The configuration the class was put into; where the platform does not show a protocol its
  /// session, this is what is known of it.
  var configuration: URLSessionConfiguration?
  /// The responses that were sent before, for requests that ask for the same.
  package let responses = RenderedResponses()
  /// Tells whether it is `URLSession.shared` that leads here, whose own cookies are those of all.
  var isShared = false

  package init(deck: Deck, lane: Lane, errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// Two minutes: twice what a client waits that was given no timeout, so that no test hangs.
  package static let standardSilenceMax = Duration.seconds(120)

  /// The same for `URLSession.shared`. What an answer sets in a cookie is kept here and seen by no
  /// other test.
  package var shared: ProtocolRegistration {
    var registration = self
    registration.configuration = .ephemeral
    registration.isShared = true
    return registration
  }
}

/// A pool that gives each session a protocol class of its own.
///
/// A session names its protocols by class, and on Linux nothing else that is set on a session
/// reaches the protocol: neither additional headers nor properties. So one generic class is
/// specialised at run time, over types that spell a number in binary. Classes are never freed by
/// the runtime, so those that were given back are used again.
package enum ProtocolClassPool {
  private struct Table {
    var registrations: [ObjectIdentifier: ProtocolRegistration] = [:]
    var guards: [ObjectIdentifier: NetworkGuard] = [:]
    var free: [AnyClass] = []
    var made = 0
  }

  private static let table = Locked(Table())

  /// Takes a class and registers what its tasks are answered by.
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

  /// Takes a class for a guard. It is not given back: a task of a test may outlive it.
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

  /// Gives a class back. Its sessions must be finished: the next one to take it has another deck.
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
