import VaultCommands

@main
enum Main {
  static func main() { Program.main() }
}
