import Foundation
import Testing
import WindTunnelRelease

@Suite struct HarnessFileTests {
  @Test(arguments: [
    (#"{"windtunnel":1,"interactions":[]}"#, "a cassette"),
    ("\u{FEFF} \n{ \"windtunnelScenario\" :\t1, \"rules\": [] }", "a scenario"),
    (#"{"windtunnelJournal":1,"rewrites":true}"# + "\n{}", "the journal of a recording"),
    (#"{"windtunnelDNS": 1}"#, "a script of DNS"),
    (#"{"windtunnelReport": 1}"#, "a drill's report"),
    (#"{"windtunnelOfTomorrow": 2}"#, "a file of WindTunnel's (windtunnelOfTomorrow)"),
    (#"{"fixtures": {"windtunnel": 1, "interactions": "#, "a cassette"),
  ])
  func `a file of the harness is found by its key, wherever and however it ends`(
    text: String,
    noun: String
  ) {
    #expect(look(Array(text.utf8)) == ["found it file: \(noun)"])
    let packed = Made.zip([.init(name: "assets/data.bin", content: Made.gzip(Array(text.utf8)))])
    #expect(look(packed) == ["found it:assets/data.bin file: \(noun)"])
  }

  @Test(arguments: [
    #"{"name": "windtunnel", "version": 1}"#, #"{"windtunnel": {"license": "MIT"}}"#,
    #"["windtunnel", 1]"#, #"windtunnel: 1, "windtunnel": 1"#, #"{"windtunnel"}"#, #"{"windtunnel"#,
    #"{"windtunnel":"#, #"{"text": "a \"windtunnel\": 1"}"#, #"{"windtunnel-app": 1}"#, "", "{",
  ])
  func `no other text is found`(text: String) {
    #expect(look(Array(text.utf8)) == [])
  }

  @Test func `a text full of the key is read in linear time`() {
    let text = "{" + String(repeating: "\"windtunnel\"  ", count: 300_000)
    let long =
      "{" + String(repeating: "\"windtunnel", count: 10) + String(repeating: "l", count: 3_000_000)
    let time = ContinuousClock().measure {
      #expect(look(Array(text.utf8)) == [])
      #expect(look(Array(long.utf8)) == [])
    }
    #expect(time < .seconds(60))
  }
}
