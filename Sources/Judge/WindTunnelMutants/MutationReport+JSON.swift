package import Foundation

// The text of a report, version 1.
//
//   { "windtunnelMutate": 1, "verdict": "newBlindSpot", "exitCode": 99, "line": "…", "again": "…",
//     "seed": 1, "milliseconds": 2100,
//     "tests": [ { "test": "OrderTests.ordersAreThere", "file": "…/OrderTests.swift", "line": 14,
//       "plain": "green", "failedAfter": false } ],
//     "endpoints": [ { "endpoint": "GET /orders",
//       "columns": { "answer": "blind", "status": "noticed", … },
//       "blind": ["empty-200"], "accepted": [], "excuses": [],
//       "mutants": [ { "cassette": "…", "recording": 3, "mutant": "field-missing", "at": "$.id",
//         "verdict": "noticed",
//         "runs": [
//           { "test": "…", "result": "killed", "by": "assertion", "message": "…" } ] } ] } ] }
extension MutationReport {
  /// The report as JSON, with every recording, operator and test.
  package var json: JSON {
    let tests = tests.map { test -> JSON in
      [
        "test": .text(test.name), "file": .text(test.file), "line": .number(test.line),
        "plain": .text(test.plain.rawValue), "failedAfter": .bool(leftBehind.contains(test)),
      ]
    }
    return [
      "windtunnelMutate": 1, "verdict": .text("\(verdict)"),
      "exitCode": .number(verdict.rawValue), "line": .text(verdictLine), "again": .orNull(again),
      "seed": .number(plan.seed), "milliseconds": .orNull(duration), "tests": .array(tests),
      "endpoints": .array(endpoints.map(\.json)),
    ]
  }

  /// The report as a JSON file.
  package func jsonData() -> Data { Data(json.fileBytes()) }
}

extension MutatedEndpoint {
  fileprivate var json: JSON {
    let columns = Self.levels.map { JSON.Member(JSON.Text("\($0)"), .text("\(column($0))")) }
    return [
      "endpoint": .text(name), "columns": .object(columns),
      "blind": .texts(blindSpots.map(\.name).sorted()),
      "accepted": .texts(accepted.map(\.name).sorted()),
      "excuses": .texts(excuses.map { "\($0)" }.sorted()), "mutants": .array(outcomes.map(\.json)),
    ]
  }
}

extension MutantOutcome {
  fileprivate var json: JSON {
    let runs = runs.map { test, result -> JSON in
      let (word, by, message) = result.shown
      return [
        "test": .text(test.name), "result": .text(word), "by": .orNull(by),
        "message": .orNull(message),
      ]
    }
    return [
      "cassette": .text(cassette), "recording": .number(mutant.recording),
      "mutant": .text(mutant.operator.name), "at": .orNull(mutant.path),
      "verdict": .text("\(verdict)"), "runs": .array(runs),
    ]
  }
}
