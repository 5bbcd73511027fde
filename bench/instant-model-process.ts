/** The instant model in a process of its own, so that whoever asks it has a thread to themselves. It ends with its parent. */
import { startInstantModel } from "./instant-model.ts";

const { url } = await startInstantModel();
process.on("disconnect", () => process.exit());
process.send?.({ url });
