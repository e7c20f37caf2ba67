import VaultCommands

/// `vaultctl-tls`: `vaultctl` with the commands that need libcrypto and libssl.
@main
enum Main {
  static func main() {
    Program.main(named: "vaultctl-tls") { name in
      switch name {
      case .identity: IdentityProgram.run
      case .trust: TrustProgram.run
      default: nil
      }
    }
  }
}
