package import WindTunnel
package import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

/// Who sits behind a protocol class: a deck, a lane of it, and whose errors it speaks.
package struct Seat: Sendable {
  package let deck: Deck
  package var lane: Lane
  package var errors: Symptom.Platform
  /// How long an answer that is played may be silent before the harness ends the task by itself.
  package var silenceMax = Seat.standardSilenceMax
  /// The configuration the class was put into; where the platform does not show a protocol its
  /// session, this is what is known of it.
  var configuration: URLSessionConfiguration?
  /// What was answered before, for those who ask for the same.
  let answers = WholeAnswers()
  /// Whether it is `URLSession.shared` that leads here, whose own cookies are everybody's.
  var isShared = false

  package init(deck: Deck, lane: Lane, errors: Symptom.Platform) {
    self.deck = deck
    self.lane = lane
    self.errors = errors
  }

  /// Two minutes: twice what a client waits that was told nothing else, so that no test hangs.
  package static let standardSilenceMax = Duration.seconds(120)

  /// The same seat for `URLSession.shared`. What an answer sets in a cookie is kept for this seat
  /// and seen by no other test.
  package var shared: Seat {
    var seat = self
    seat.configuration = .ephemeral
    seat.isShared = true
    return seat
  }
}

/// Gives each session a protocol class of its own.
///
/// A session names its protocols by class, and on Linux nothing else that is set on a session
/// reaches the protocol: neither additional headers nor properties. So one generic class is
/// specialised at run time, over types that spell a number in binary. Classes are never freed by
/// the runtime, so those that were given back are used again.
package enum Seats {
  private struct Table {
    var seats: [ObjectIdentifier: Seat] = [:]
    var outlets: [ObjectIdentifier: Outlet] = [:]
    var free: [AnyClass] = []
    var made = 0
  }

  private static let table = Locked(Table())

  /// Takes a class for a seat.
  package static func take(for seat: Seat) -> AnyClass {
    table.withLock { table in
      let type: AnyClass
      if let free = table.free.popLast() {
        type = free
      } else {
        table.made += 1
        type = make(table.made, Zero.self)
      }
      table.seats[ObjectIdentifier(type)] = seat
      return type
    }
  }

  /// Takes a class for an outlet. It is not given back: a task of a test may outlive it.
  static func take(for outlet: Outlet) -> AnyClass {
    table.withLock { table in
      table.made += 1
      let type: AnyClass = make(table.made, Zero.self, isOutlet: true)
      table.outlets[ObjectIdentifier(type)] = outlet
      return type
    }
  }

  static func outlet(of type: AnyClass) -> Outlet? {
    table.withLock { $0.outlets[ObjectIdentifier(type)] }
  }

  /// Gives a class back. Its sessions must be finished: the next one to take it has another deck.
  package static func giveBack(_ type: AnyClass) {
    table.withLock { table in
      guard table.seats.removeValue(forKey: ObjectIdentifier(type)) != nil else { return }
      table.free.append(type)
    }
  }

  static func remember(_ configuration: URLSessionConfiguration, for type: AnyClass) {
    table.withLock { $0.seats[ObjectIdentifier(type)]?.configuration = configuration }
  }

  static func seat(of type: AnyClass) -> Seat? {
    table.withLock { $0.seats[ObjectIdentifier(type)] }
  }

  private enum Zero {}
  private enum One {}
  private enum Shifted<Rest> {}

  private static func make<Digits>(
    _ number: Int,
    _: Digits.Type,
    isOutlet: Bool = false
  ) -> AnyClass {
    if number == 0 {
      return isOutlet ? OutletInterceptor<Digits>.self : SeatedInterceptor<Digits>.self
    }
    return number.isMultiple(of: 2)
      ? make(number / 2, Shifted<Digits>.self, isOutlet: isOutlet)
      : make(number / 2, (Digits, One).self, isOutlet: isOutlet)
  }
}

/// The interceptor of one seat.
private final class SeatedInterceptor<Digits>: Interceptor {}
