import Foundation

@testable import WindTunnelReports

/// What a kernel was measured to do; the files say how.
enum Measured {
  private static func json(_ name: String) throws -> JSON {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.appendingPathComponent("Measured/\(name).json")
    return try JSON(parsing: Data(contentsOf: file), source: name)
  }

  /// Exactly these packets dropped, and how long it took at each round trip.
  struct Golden: Sendable {
    var name: String
    var roundTrip: Double
    var link: Link
    var responseBytes: Int
    var connectMilliseconds: Double?
    var transferMilliseconds: Double?
  }

  static func golden() throws -> [Golden] {
    let top = try ObjectReader(json("golden"), source: "golden", path: "")
    var (file, all) = (top, [Golden]())
    let roundTrips = (try file.array("roundTripMilliseconds") ?? []).compactMap(\.doubleValue)
    for json in try file.array("cases") ?? [] {
      var row = try ObjectReader(json, source: "golden", path: "cases")
      func numbers(_ name: String) throws -> [Int] {
        (try row.array(name) ?? []).compactMap(\.intValue)
      }
      func milliseconds(_ name: String) throws -> [Double]? {
        try row.array(name)?.compactMap(\.doubleValue)
      }
      let up = LossScript(
        handshake: Set(try numbers("upHandshake")),
        data: Set(try numbers("upData"))
      )
      let down = LossScript(
        handshake: Set(try numbers("downHandshake")),
        data: Set(try numbers("downData"))
      )
      let (connect, transfer) = (
        try milliseconds("connectMilliseconds"), try milliseconds("transferMilliseconds")
      )
      for (index, roundTrip) in roundTrips.enumerated() {
        all.append(
          Golden(
            name: try row.string("name") ?? "",
            roundTrip: roundTrip,
            link: .symmetric(roundTrip: roundTrip, up: .script(up), down: .script(down)),
            responseBytes: try row.int("responseBytes", in: 1...1_000_000) ?? 0,
            connectMilliseconds: connect?[index],
            transferMilliseconds: transfer?[index]
          )
        )
      }
    }
    return all
  }

  /// Many connections with the same loss.
  struct Cell: Sendable {
    var loss: Double
    var responseBytes: Int
    /// Milliseconds to connect, and from there to the last byte.
    var samples: [(connect: Double, transfer: Double)]
  }

  static func cells() throws -> [Cell] {
    var file = try ObjectReader(json("cubic-100"), source: "cubic-100", path: "")
    return try (try file.array("cells") ?? []).map { json in
      var row = try ObjectReader(json, source: "cubic-100", path: "cells")
      let samples = (try row.array("samples") ?? []).compactMap { sample -> (Double, Double)? in
        guard case .array(let pair) = sample, pair.count == 2, let connect = pair[0].doubleValue,
          let transfer = pair[1].doubleValue
        else { return nil }
        return (connect, transfer)
      }
      return Cell(
        loss: try row.double("loss", in: 0...1) ?? 0,
        responseBytes: try row.int("responseBytes", in: 1...1_000_000) ?? 0,
        samples: samples
      )
    }
  }
}

extension Measured {
  /// Connections with the same loss and several responses of one size, requested at once.
  struct StreamCell: Sendable {
    var link: Link
    var count: Int
    var responseBytes: Int
    /// Milliseconds to connect, and from there to the end of the first and of the last response.
    var samples: [[Double]]
  }

  /// The measured cells, or those of a file that `Scripts/benchmarks/kernel-comparison` wrote.
  static func streamCells() throws -> [StreamCell] {
    let file = ProcessInfo.processInfo.environment["WINDTUNNEL_STREAM_SAMPLES"]
    let json = try file.map { path in
      try JSON(parsing: Data(contentsOf: URL(fileURLWithPath: path)), source: path)
    }
    var top = try ObjectReader(json ?? self.json("streams"), source: "streams", path: "")
    return try (try top.array("cells") ?? []).map { json in
      var row = try ObjectReader(json, source: "streams", path: "cells")
      let loss = LossModel.bernoulli(try row.double("loss", in: 0...1) ?? 0)
      let roundTrip = try row.double("roundTripMilliseconds", in: 0...10_000) ?? 0
      return StreamCell(
        link: .symmetric(roundTrip: roundTrip, up: loss, down: loss),
        count: try row.int("streams", in: 1...100) ?? 0,
        responseBytes: try row.int("responseBytes", in: 1...1_000_000) ?? 0,
        samples: (try row.array("samples") ?? []).compactMap { sample in
          if case .array(let times) = sample { times.compactMap(\.doubleValue) } else { nil }
        }
      )
    }
  }
}

extension Link {
  /// The same delay both ways.
  static func symmetric(
    roundTrip milliseconds: Double,
    up: LossModel = .none,
    down: LossModel = .none,
    bitsPerSecond: Double? = nil
  ) -> Link {
    let delay = Duration(milliseconds: milliseconds / 2)
    return Link(
      up: .init(delay: delay, bitsPerSecond: bitsPerSecond, loss: up),
      down: .init(delay: delay, bitsPerSecond: bitsPerSecond, loss: down)
    )
  }
}

extension ConnectionDraws {
  /// The *n*-th connection of a seed.
  static func nth(_ ordinal: Int, seed: UInt64 = 1) -> ConnectionDraws {
    ConnectionDraws(seed: seed, scenario: "model", lane: .deck, key: "model", ordinal: ordinal)
  }
}
