import Foundation
import WindTunnelDrill
import WindTunnelFindings

/// Clients that end in their own ways. They run in a process of this program, so no user gets them.
enum FallingSubjects {
  /// The argument with which a drill starts this program for one of them.
  static let word = "fly-as-test-subject"

  static let all: [any Subject] = [
    DrillSubject.program.client, Acting(name: "fine") { _ in },
    Acting(name: "traps-on-3") { if $0.index == 3 { raise(SIGILL) } },
    Acting(name: "leaves-on-3") { if $0.index == 3 { _exit(0) } },
    Acting(name: "stops-on-3") { if $0.index == 3 { raise(SIGSTOP) } },
    Acting(name: "prints") { call in
      // Without a line's end, and with text that looks like a message.
      for _ in 0..<50 { print("call \(call.index) \u{1}{\"ended\":", terminator: "") }
      fflush(nil)
    },
    Acting(name: "never-returns-on-5") { call in
      while call.index == 5 {
        // A call that is never cancelled never leaves this loop.
        try? await Task.sleep(for: .seconds(3600))
      }
    },
    // Falls on call 2, in a drill's first process not before three others are in the air with it.
    Acting(name: "traps-on-2-in-company") { call in
      if Crew.isFirstProcess { await crew.gather(4) }
      if call.index == 2 { raise(SIGILL) }
    },
  ]

  private static let crew = Crew()

  private struct Acting: Subject {
    let name: String
    let act: @Sendable (DrillCall) async -> Void

    func run(_ call: DrillCall) async -> CallResult {
      await act(call)
      return await DrillSubject.urlSession.client.run(call)
    }
  }

  private actor Crew {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Only one process can make the drill's mark.
    static let isFirstProcess = open(CommandLine.arguments.last ?? "", O_CREAT | O_EXCL, 0o600) >= 0

    func gather(_ most: Int) async {
      count += 1
      if count < most { return await withCheckedContinuation { waiting.append($0) } }
      for one in waiting { one.resume() }
      waiting = []
    }
  }
}
