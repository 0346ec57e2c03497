package import Foundation

// A date is volatile, so none is written unless somebody asks for it: then a cassette can say how
// old it is, `cassette lint --max-age` finds what is too old and `cassette prune --older-than` takes
// it off. What is recorded anew and has not changed keeps its date with its text, unless dates are
// asked for again.

extension Cassette {
  /// Dates the interactions that do not stand on an earlier cassette.
  package mutating func date(_ date: Date, whereNotIn earlier: Cassette) {
    let known = Set(earlier.interactions)
    let day = Self.day(date)
    for index in interactions.indices where !known.contains(interactions[index]) {
      interactions[index].recordedAt = day
    }
  }

  /// A moment as an interaction bears it, to the second.
  package static func day(_ date: Date) -> String {
    let text = DateText.text(.seconds(date.timeIntervalSince1970.rounded(.down)))
    return text.prefix { $0 != "." } + "Z"
  }

  /// The numbers of the interactions that are older than so many days, counted from one, and how
  /// many bear no date.
  package func older(thanDays days: Int, at now: Date) -> (numbers: [Int], undatedCount: Int) {
    let limit = Duration.seconds(now.timeIntervalSince1970 - Double(days) * 86_400)
    let dates = recordingDates
    let numbers = dates.enumerated().filter { $0.element.map { $0 < limit } ?? false }
      .map { $0.offset + 1 }
    return (numbers, dates.count { $0 == nil })
  }

  /// The numbers of the interactions that bear no date, counted from one.
  package var numbersWithoutDate: [Int] {
    recordingDates.enumerated().filter { $0.element == nil }.map { $0.offset + 1 }
  }

  private var recordingDates: [Duration?] {
    interactions.map { $0.recordedAt.flatMap { DateText.sinceEpoch($0) } }
  }
}
