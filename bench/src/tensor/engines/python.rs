//! NumPy and PyTorch, in a child process that is controlled over a pipe.

use super::{Fingerprint, Job};
use crate::tensor::cases::Case;
use crate::tensor::growth::Work;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tensor/engines/python.py");

/// A child process that runs `python.py` with NumPy or PyTorch.
#[derive(Clone)]
pub struct Python {
    pipes: Rc<RefCell<Pipes>>,
    pub version: String,
    is_torch: bool,
}

struct Pipes {
    program: PathBuf,
    library: &'static str,
    threads: usize,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // Errors are ignored: the child may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Pipes {
    /// Starts a child, whose first answer is the version of its library.
    fn open(
        program: PathBuf,
        library: &'static str,
        threads: usize,
    ) -> Result<(Pipes, String), String> {
        let mut command = Command::new(&program);
        command.arg(SCRIPT).arg(library).arg(threads.to_string());
        for variable in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(variable, threads.to_string());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let requests = child.stdin.take().ok_or("no standard input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut pipes = Pipes { program, library, threads, child, requests, answers };
        let version = pipes.answer()?.as_str().unwrap_or_default().to_string();
        Ok((pipes, version))
    }

    /// Sends a request and reads the answer. After an error, a new child is started for the next request.
    fn ask(&mut self, request: &str) -> Result<serde_json::Value, String> {
        let written = writeln!(self.requests, "{request}").map_err(|error| error.to_string());
        let answered = written.and_then(|()| self.answer());
        if answered.is_err()
            && let Ok((fresh, _)) = Pipes::open(self.program.clone(), self.library, self.threads)
        {
            *self = fresh;
        }
        answered
    }

    fn answer(&mut self) -> Result<serde_json::Value, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line).map_err(|error| error.to_string())? {
            0 => Err(format!("the Python with {} has ended", self.library)),
            _ => serde_json::from_str(&line).map_err(|error| format!("{error}: {line:?}")),
        }
    }
}

impl Python {
    /// Starts a Python with `numpy` or `torch`.
    pub fn start(python: &Path, library: &'static str, threads: usize) -> Result<Python, String> {
        let (pipes, version) = Pipes::open(python.to_path_buf(), library, threads)?;
        let pipes = Rc::new(RefCell::new(pipes));
        Ok(Python { pipes, version, is_torch: library == "torch" })
    }

    /// The job of the library in a row, if it has the operation.
    pub fn job(&self, case: &Case) -> Option<Box<dyn Job>> {
        let call = if self.is_torch { case.torch } else { case.numpy };
        (!call.is_empty()).then(|| self.work(case.dtype, case.setup, call))
    }

    /// The job of the library for an operation of `growth.rs`.
    pub fn growing(&self, work: Work, side: usize) -> Box<dyn Job> {
        let setup = match work {
            Work::Copy | Work::CopyTransposed => format!("a = r({side}, {side})"),
            Work::CopyBroadcast => format!("a = r({side})"),
            Work::AddBroadcast => format!("a, b = r({side}, {side}), r({side})"),
            Work::Add | Work::AddTransposed => {
                format!("a, b = r({side}, {side}), r({side}, {side})")
            }
        };
        let call = match (work, self.is_torch) {
            (Work::Copy, false) => "a.copy()".to_string(),
            (Work::Copy, true) => "a.clone()".to_string(),
            (Work::CopyTransposed, false) => "np.ascontiguousarray(a.T)".to_string(),
            (Work::CopyTransposed, true) => "a.T.contiguous()".to_string(),
            (Work::CopyBroadcast, false) => format!("np.broadcast_to(a, ({side}, {side})).copy()"),
            (Work::CopyBroadcast, true) => format!("a.expand({side}, {side}).contiguous()"),
            (Work::Add | Work::AddBroadcast, _) => "a + b".to_string(),
            (Work::AddTransposed, _) => "a + b.T".to_string(),
        };
        self.work("float32", &setup, &call)
    }

    fn work(&self, dtype: &str, setup: &str, call: &str) -> Box<dyn Job> {
        let request = serde_json::json!({
            "do": "prepare", "dtype": dtype, "setup": setup, "call": call,
            "whole": super::max_whole_elements(),
        });
        Box::new(PythonJob { pipes: Rc::clone(&self.pipes), request: request.to_string() })
    }
}

struct PythonJob {
    pipes: Rc<RefCell<Pipes>>,
    request: String,
}

impl Job for PythonJob {
    fn answer(&mut self) -> Result<Fingerprint, String> {
        let answer = self.pipes.borrow_mut().ask(&self.request)?;
        let number = |i: usize| answer[i].as_f64().ok_or_else(|| answer.to_string());
        Ok(Fingerprint { len: number(0)? as usize, sum: number(1)?, weighted: number(2)? })
    }

    fn time(&mut self, times: usize) -> Result<f64, String> {
        let request = serde_json::json!({"do": "time", "times": times}).to_string();
        let answer = self.pipes.borrow_mut().ask(&request)?;
        answer.as_f64().ok_or_else(|| answer.to_string())
    }
}

impl Drop for PythonJob {
    fn drop(&mut self) {
        // The inputs are large: they are freed before the next case creates its own.
        let _ = self.pipes.borrow_mut().ask(r#"{"do": "forget"}"#);
    }
}
