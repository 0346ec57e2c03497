internal import Foundation
internal import WindTunnel

/// A selection of the requests of a server.
struct RequestFilter: Sendable, Hashable {
  var method: String?
  var path: RequestPattern?
  /// Selects only requests after the one with this number.
  var since = 0
  var status: Int?
  /// A name from `Journal.Take.requestNames`.
  var take: String?
  var limit = RequestFilter.limitDefault

  static let limitDefault = 1000

  init() {}

  /// Returns the first `limit` selected requests.
  func entries(of records: ExchangeRecords) -> [ExchangeRecord] {
    let meant = records.entries(after: since).lazy.filter { entry in
      (method == nil || entry.request.method == method) && (take == nil || entry.take.name == take)
        && (status == nil || entry.end?.status == status) && path?.matches(entry.request) != false
    }
    return Array(meant.prefix(limit))
  }

  private static let names = ["method", "path", "since", "status", "source", "limit"]

  /// Parses the query of a URL, such as `path=/users/*&status=503`.
  init(query: String?) throws(FormatError) {
    self.init()
    for field in FormFields.fields(Data((query ?? "").utf8)) {
      let (name, value) = (field.name, field.text)
      switch name {
      case "method":
        if let meant = RequestPattern.meant(value) {
          throw Self.error(name, "a method must be in capital letters", "Did you mean \(meant)?")
        }
        method = value
      case "path":
        if let wrong = RequestPattern.problem(with: value) {
          throw Self.error(name, wrong.problem, wrong.fix)
        }
        path = RequestPattern(value)
      case "since": since = try Self.number(name, value, in: 0...Int.max)
      case "status": status = try Self.number(name, value, in: 100...999)
      case "limit": limit = try Self.number(name, value, in: 1...ExchangeRecords.entriesMax)
      case "source":
        let takes = Journal.Take.requestNames
        guard takes.contains(value) else {
          throw Self.error(name, "\"\(value)\" is not one of \(takes.joined(separator: ", "))", nil)
        }
        take = value
      default:
        throw Self.error(
          name,
          "unknown filter",
          nearest(to: name, in: Self.names).map { "Did you mean \"\($0)\"?" }
            ?? "The filters are \(Self.names.joined(separator: ", "))."
        )
      }
    }
  }

  private static func number(
    _ name: String,
    _ text: String,
    in range: ClosedRange<Int>
  ) throws(FormatError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      let bounds =
        range.upperBound == .max
        ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw error(name, "\"\(text)\" is not a whole number \(bounds)", nil)
    }
    return number
  }

  private static func error(_ name: String, _ problem: String, _ fix: String?) -> FormatError {
    FormatError(source: "query", place: name, problem: problem, fix: fix)
  }
}
