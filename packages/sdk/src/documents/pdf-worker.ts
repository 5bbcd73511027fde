import { answerTasks } from "./answer-tasks.ts";
import { readPdf } from "./read-pdf.ts";

answerTasks(readPdf);
