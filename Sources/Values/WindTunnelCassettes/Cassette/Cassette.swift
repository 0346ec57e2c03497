public import Foundation

/// A recording of HTTP traffic: interactions in the order in which they happened.
///
/// ```swift
/// let cassette = try Cassette(contentsOf: file)
/// let deck = Deck(cassette)
/// ```
public struct Cassette: Sendable, Hashable {
  /// The interactions, in order.
  public var interactions: [Interaction]
  /// The top-level members of the file whose names begin with `_`, unchanged.
  public var notes: [JSON.Member] = []

  /// Creates a cassette from interactions.
  public init(_ interactions: [Interaction] = []) { self.interactions = interactions }

  /// The maximum size of a cassette's file in bytes; a larger file is rejected without reading it.
  public static let fileBytesMax = 512 << 20

  /// Reads a cassette file, version 1.
  ///
  /// - Throws: `FormatError` if the file is not a cassette or has a newer version. `FileError` if
  ///   it cannot be read.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    let sideFiles = SideFiles(of: file)
    self = try CassetteFormat.decode(data, source: file.lastPathComponent) {
      try sideFiles.read($0)
    }
  }

  /// Reads a cassette from bytes. Throws if a body is in a side file.
  public init(data: Data, source: String) throws {
    self = try CassetteFormat.decode(data, source: source) { name in
      throw FormatError(
        source: source,
        place: "",
        problem: "the body in side file \"\(name)\" cannot be read: the cassette is not a file"
      )
    }
  }

  /// Reads a cassette that is not a file, for example from an earlier commit. `sideFile` returns
  /// the content of a side file, or `nil` if it is missing.
  package init(data: Data, source: String, sideFile: @escaping (String) throws -> Data?) throws {
    self = try CassetteFormat.decode(data, source: source) { name in
      func refusal(_ problem: String) -> FormatError {
        FormatError(source: source, place: "", problem: "side file \(name.prefix(80)): \(problem)")
      }
      guard SideFiles.isName(name) else { throw refusal("this is not a SHA-256") }
      guard let data = try sideFile(name) else { throw refusal("it does not exist") }
      guard SHA256.hexadecimal(data) == name.lowercased() else {
        throw SideFiles.refusal(of: data, as: name, source: "\(source), side file \(name)")
      }
      return Body(data)
    }
  }

  /// Writes the cassette atomically. A reader of the file sees the complete old or new contents,
  /// even after a crash.
  ///
  /// Side files of large bodies that the new contents do not reference are removed.
  public func write(to file: URL) throws {
    let sideFiles = SideFiles(of: file)
    var kept: Set<String> = []
    let text = try CassetteFormat.encode(self) { body in
      let name = try sideFiles.kept(body)?.name
      if let name { kept.insert(name) }
      return name
    }
    try FileError.writing(text, to: file)
    sideFiles.removeAll(except: kept)
  }

  /// Returns the contents of the cassette's file, with large bodies included.
  public func data() -> Data {
    // There are no side files, so this cannot fail.
    (try? CassetteFormat.encode(self, sideFile: { _ in nil })) ?? Data()
  }

  /// The text of the cassette's file, which references large bodies by their digests.
  package var text: Data {
    // Nothing is written to disk, so this cannot fail.
    (try? CassetteFormat.encode(self) { $0.count < SideFiles.bodyBytesMin ? nil : $0.digest })
      ?? Data()
  }

  /// Returns the cassette without the interactions with these numbers, counted from 1.
  public func without(numbers: Set<Int>) -> Cassette {
    var rest = self
    rest.interactions = interactions.enumerated().filter { !numbers.contains($0.offset + 1) }
      .map(\.element)
    return rest
  }

  // Dates are volatile, so they are only recorded on request. With dates, `cassette lint --max-age`
  // finds old interactions and `cassette prune --older-than` removes them. Interactions that are
  // recorded again without a change keep their date, unless dates are requested again.

  /// Dates the interactions that an earlier cassette does not contain.
  package mutating func date(_ date: Date, whereNotIn earlier: Cassette) {
    let known = Set(earlier.interactions)
    let day = Self.day(date)
    for index in interactions.indices where !known.contains(interactions[index]) {
      interactions[index].recordedAt = day
    }
  }

  /// Returns a time in the format of ``Interaction/recordedAt``, in whole seconds.
  package static func day(_ date: Date) -> String {
    let text = DateText.text(.seconds(date.timeIntervalSince1970.rounded(.down)))
    return text.prefix { $0 != "." } + "Z"
  }

  /// Returns the numbers of the interactions that are older than `days`, counted from 1, and the
  /// number of undated ones.
  package func older(thanDays days: Int, at now: Date) -> (numbers: [Int], undatedCount: Int) {
    let limit = Duration.seconds(now.timeIntervalSince1970 - Double(days) * 86_400)
    let dates = recordingDates
    let numbers = dates.enumerated().filter { $0.element.map { $0 < limit } ?? false }
      .map { $0.offset + 1 }
    return (numbers, dates.count { $0 == nil })
  }

  /// The numbers of the interactions without a date, counted from 1.
  package var numbersWithoutDate: [Int] {
    recordingDates.enumerated().filter { $0.element == nil }.map { $0.offset + 1 }
  }

  private var recordingDates: [Duration?] {
    interactions.map { $0.recordedAt.flatMap { DateText.sinceEpoch($0) } }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 2)
