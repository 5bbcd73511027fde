// npm run dev: Elwood from its sources, whatever is built; Node strips the types.
process.removeAllListeners("warning");
await import("../src/main.ts");
