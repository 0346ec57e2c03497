package import Foundation

/// The blind spots that a team accepts, with a reason for each (`mutate.json`).
package struct AcceptedSurvivors: Sendable, Hashable {
  /// Operators at one endpoint.
  package struct AcceptedFaults: Sendable, Hashable {
    package var endpoint = ""
    /// The names of operators, such as `status-500`, or of levels, such as `form`, for all their
    /// operators.
    package var faults: [String] = []
    package var reason = ""
    /// Digests of the recordings that the tests used.
    package var recordings: [String] = []
    /// The identities of the tests that used them.
    package var tests: [String] = []

    /// Whether an operator is accepted.
    func covers(_ mutation: MutationOperator) -> Bool {
      faults.contains(mutation.name) || faults.contains("\(mutation.level)")
    }
  }

  package var all: [AcceptedFaults] = []

  package init(_ all: [AcceptedFaults] = []) { self.all = all }

  /// Reads the content of a file, version 1.
  package init(data: Data, source: String) throws(FormatError) {
    let json = try JSON(parsing: data, source: source)
    try self.init(reading: ObjectReader(json, source: source, path: ""))
  }

  /// Returns the content of a file.
  package func data() -> Data { Data(json.fileBytes()) }
}

// { "windtunnelAccepted": 1,
//   "accepted": [ { "endpoint": "GET /orders", "faults": ["hollow", "values"], "reason": "…",
//     "recordings": ["9a9ffb14c1af"], "tests": ["OrderTests.ordersAreThere"] } ] }
extension AcceptedSurvivors: JSONObject {
  package static let blank = AcceptedSurvivors()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.version("windtunnelAccepted", of: "file of accepted faults")
    try fields.list("accepted", &all)
  }
}

extension AcceptedSurvivors.AcceptedFaults: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.string("endpoint", &endpoint, ("endpoint", "it is missing, such as \"GET /orders\""))
    try fields.names("faults", &faults)
    try fields.string("reason", &reason, ("reason", "an accepted fault requires a reason"))
    try fields.names("recordings", &recordings)
    try fields.names("tests", &tests)
    let known = MutatedEndpoint.levels.map { "\($0)" } + MutationOperator.all.map(\.name)
    let unknown = faults.first { !known.contains($0) } ?? ""
    let fix = nearest(to: unknown, in: known).map { "Did you mean \"\($0)\"?" }
    try fields.refuse(!unknown.isEmpty, "faults", "there is no fault \"\(unknown)\"", fix: fix)
  }
}
