import TestSupport

@testable import WindTunnel

/// A fault is spelled in Swift as in a scenario's file: a word for a place, a label for a count.
@Suite struct OneGrammarTests {
  @Test(
    arguments: [
      (#"{"reset":"afterRequest"}"#, .reset(.afterRequest)),
      (#"{"reset":"inStatusLine"}"#, .reset(.inStatusLine)),
      (#"{"resetAfterBytes":40}"#, .reset(afterBytes: 40)),
      (#"{"resetAfterBodyBytes":10}"#, .reset(afterBodyBytes: 10)),
      (#"{"resetInChunkAfterBodyBytes":3}"#, .reset(.inChunk(3))),
      (#"{"close":"afterRequest"}"#, .close(.afterRequest)),
      (#"{"close":"inHeaders"}"#, .close(.inHeaders)),
      (#"{"closeAfterBytes":40}"#, .close(afterBytes: 40)),
      (#"{"truncateAfterBodyBytes":10}"#, .truncate(afterBodyBytes: 10)),
      (#"{"halfClose":"inChunk"}"#, .halfClose(.inChunk)),
      (#"{"halfCloseAfterBytes":40}"#, .halfClose(afterBytes: 40)),
      (#"{"halfCloseAfterBodyBytes":10}"#, .halfClose(afterBodyBytes: 10)),
      (#"{"stall":"afterRequest"}"#, .stall(.afterRequest)),
      (#"{"stallAfterBytes":40}"#, .stall(afterBytes: 40)),
      (#"{"stallAfterBodyBytes":10}"#, .stall(afterBodyBytes: 10)),
      (#"{"stall":"inHeaders","forMilliseconds":2000}"#, .stall(.inHeaders, for: .seconds(2))),
      (#"{"stallAfterBytes":40,"forMilliseconds":2000}"#, .stall(afterBytes: 40, for: .seconds(2))),
      (#"{"mutate":"hollow"}"#, .mutate(.hollow)),
      (#"{"mutate":"values"}"#, .mutate(.values)),
      (#"{"bodyOf":2}"#, .alter(.bodyOf(recording: 2))),
      (#"{"throttleBytesPerSecond":20000}"#, .throttle(bytesPerSecond: 20_000)),
      (
        #"{"stallAfterBodyBytes":10,"forMilliseconds":2000}"#,
        .stall(afterBodyBytes: 10, for: .seconds(2))
      ),
    ] as [(String, Fault)]
  )
  func `Swift and JSON say the same`(text: String, fault: Fault) throws {
    let scenario = try Scenario(
      json: #"{"windtunnelScenario":1,"name":"s","rules":[{"faults":[\#(text)]}]}"#
    )
    expectEqual(scenario.rules.map(\.faults), [[fault]])
    expectEqual(fault.json.description, text)
  }
}
