import TestSupport
import WindTunnel

/// Texts that nest as deep as the parser lets them.
@Suite struct DeepTextTests {
  @Test func `a text as deep as may be is looked through on half a megabyte of stack`() async {
    // A stack that is too small ends the process.
    await #expect(processExitsWith: .success) {
      let objects =
        String(repeating: #"{"a":"#, count: 250) + "1" + String(repeating: "}", count: 250)
      let lists = String(repeating: "[", count: 250) + String(repeating: "]", count: 250)
      for text in [objects, lists] {
        let leaks = await withCheckedContinuation { continuation in
          let thread = Thread {
            let cassette = Cassette([.init(Request("GET", "/"), .text(Body(text)))])
            continuation.resume(returning: CassetteLint(cassette).leaks.count)
          }
          // What Darwin gives every thread but the main one.
          thread.stackSize = 512 << 10
          thread.start()
        }
        try #require(leaks == 0)
      }
    }
  }
}
